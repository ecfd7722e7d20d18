import { join, relative, resolve } from 'node:path';
import { ROOT } from '../build.ts';
import type { LockedPackage } from './lockedPackages.ts';
import { TARGETS } from './targets.ts';

/** A package whose code is in the executables. */
export type BundledPackage = LockedPackage & {
  /** An SPDX license expression. */
  readonly license: string;
  /** The folder of the package; undefined if only some executables contain it. */
  readonly folder: string | undefined;
};

type Lockfile = ReadonlyMap<string, LockedPackage>;

/** Packages whose code is inside a file that another package publishes, by that package. */
const VENDORED: Readonly<Record<string, readonly string[]>> = { otpauth: ['@noble/hashes'] };

/**
 * Finds the packages whose code is in the executables.
 *
 * @param inputs the files in the bundle, relative to the working folder
 * @throws if `bun.lock` or `node_modules` does not contain a package
 */
export async function findBundledPackages(
  inputs: readonly string[],
  lockfile: Lockfile,
): Promise<readonly BundledPackage[]> {
  const folders = new Set(inputs.map(packageFolderOf).filter((folder) => folder !== undefined));
  for (const folder of [...folders]) {
    for (const name of VENDORED[folder] ?? []) folders.add(name);
  }
  const installed = await Promise.all([...folders].map((folder) => toInstalledPackage(folder, lockfile)));
  const perTarget = TARGETS.flatMap(({ runtime, addon }) => [runtime, addon]).map((name) => ({
    ...requireLocked(name, lockfile),
    license: 'MIT',
    folder: undefined,
  }));
  // The bundler lists files in any order, and the same version of a package can be installed in several folders.
  const byId = new Map([...installed, ...perTarget].map((item) => [`${item.name}@${item.version}`, item]));
  return [...byId].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** @returns the path below `node_modules`, such as `debug` or `parent/node_modules/debug`; undefined for other files */
function packageFolderOf(input: string): string | undefined {
  const path = relative(ROOT, resolve(input));
  const [, folder] = /^node_modules\/((?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  const isAddon = TARGETS.some(({ addon }) => addon === folder) || folder?.startsWith('.cache') === true;
  return isAddon ? undefined : folder;
}

async function toInstalledPackage(path: string, lockfile: Lockfile): Promise<BundledPackage> {
  const folder = join(ROOT, 'node_modules', path);
  const { license } = (await Bun.file(join(folder, 'package.json')).json()) as { readonly license?: unknown };
  if (typeof license !== 'string') throw new Error(`the package ${path} does not name its license`);
  return { ...requireLocked(path.replaceAll('/node_modules/', '/'), lockfile), license, folder };
}

function requireLocked(key: string, lockfile: Lockfile): LockedPackage {
  const locked = lockfile.get(key);
  if (locked === undefined) throw new Error(`bun.lock does not contain the package ${key}`);
  return locked;
}
