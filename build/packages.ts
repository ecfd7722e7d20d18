/** Builds the npm packages in `packages/`. `bun build/packages.ts` writes them to `dist/packages`. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build.ts';
import { run } from './release/command.ts';

/** The folders in `packages/`. */
export const NPM_PACKAGES = ['widget', 'server'] as const;

export type NpmPackage = (typeof NPM_PACKAGES)[number];

/**
 * Compiles a package and adds the files that are published unchanged.
 *
 * @param folder receives the content of the package; its previous content is removed
 * @throws with the compiler's output if it fails
 */
export function buildPackage(name: NpmPackage, folder: string): void {
  const source = join(ROOT, 'packages', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc');
  const options = ['--noEmit', 'false', '--incremental', 'false', '--declaration', '--outDir', folder];
  run(['node', compiler, '--project', source, ...options]);
  for (const file of readdirSync(join(source, 'src'))) {
    if (/\.svelte$|\.d\.ts$/.test(file)) copyFileSync(join(source, 'src', file), join(folder, file));
  }
  for (const file of ['package.json', 'README.md']) copyFileSync(join(source, file), join(folder, file));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

/**
 * Creates a tarball of a package as `npm publish` would.
 *
 * @param temporary an existing folder for temporary files
 * @param output an existing folder for the tarball
 */
export function packPackage(name: NpmPackage, temporary: string, output: string): void {
  const folder = join(temporary, 'npm-packages', name);
  buildPackage(name, folder);
  run(['npm', 'pack', '--silent', '--pack-destination', output], { cwd: folder });
}

/** @returns the types of the widget's script, which the server serves beside it */
export function widgetTypes(): string {
  return readFileSync(join(ROOT, 'packages/widget/src/postern.d.ts'), 'utf8');
}

if (import.meta.main) for (const name of NPM_PACKAGES) buildPackage(name, join(ROOT, 'dist/packages', name));
