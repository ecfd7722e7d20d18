import { afterAll, beforeAll } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPackage, NPM_PACKAGES } from '../../build/packages.ts';
import { ROOT } from '../architecture/tree.ts';

/**
 * Builds the packages before the tests, and installs them in a folder together with the packages of this repository.
 *
 * @returns the folder's path, usable within tests and hooks
 */
export function usePackages(): () => string {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-npm-'));
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    }
    for (const name of NPM_PACKAGES) buildPackage(name, join(modules, '@postern', name));
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return () => folder;
}
