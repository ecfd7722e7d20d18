import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, outputOf } from '../bench/harness/cleanup.ts';

/** Packages of npm in a temporary folder. */
export type Installed = {
  readonly folder: string;
  /** The path of a file of a package. */
  readonly file: (path: string) => string;
};

/**
 * Installs packages with npm, without their install scripts.
 *
 * @param packages exact versions by name
 * @throws BenchError with the output of npm, for example without a network
 */
export async function installPackages(
  packages: Readonly<Record<string, string>>,
  cleanup: Cleanup,
): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-compare-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
  const { PATH = '', HOME = folder, ...environment } = process.env as Record<string, string>;
  await outputOf(['npm', 'install', ...options], cleanup, {
    cwd: folder,
    env: { ...environment, PATH, HOME },
  });
  for (const [name, version] of Object.entries(packages)) {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    if (manifest.version !== version) throw new Error(`${name}: ${manifest.version} instead of ${version}`);
  }
  return { folder, file: (path) => join(folder, 'node_modules', path) };
}
