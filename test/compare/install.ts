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
 * Installs packages with npm into a temporary folder, without their install scripts.
 *
 * @see installInto
 */
export async function installPackages(packages: Versions, cleanup: Cleanup): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-compare-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  await installInto(folder, packages, cleanup);
  return { folder, file: (path) => join(folder, 'node_modules', path) };
}

/** Exact versions by name. */
type Versions = Readonly<Record<string, string>>;

/**
 * Installs packages with npm, without their install scripts.
 *
 * @param folder an existing folder
 * @param options further options of npm
 * @throws BenchError with the output of npm, for example without a network
 */
export async function installInto(
  folder: string,
  packages: Versions,
  cleanup: Cleanup,
  options: readonly string[] = [],
): Promise<void> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const defaults = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
  const { PATH = '', HOME = folder, ...environment } = process.env as Record<string, string>;
  await outputOf(['npm', 'install', ...defaults, ...options], cleanup, {
    cwd: folder,
    env: { ...environment, PATH, HOME },
  });
  for (const [name, version] of Object.entries(packages)) {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    if (manifest.version !== version) throw new Error(`${name}: ${manifest.version} instead of ${version}`);
  }
}
