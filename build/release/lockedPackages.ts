import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../build.ts';
import { run } from './command.ts';

/** The cache of downloaded tarballs. */
const CACHE = join(ROOT, 'node_modules/.cache/release');

/** A package that `bun.lock` pins. */
export type LockedPackage = {
  readonly name: string;
  readonly version: string;
  /** The hash of its tarball: `sha512-` and base64 (W3C Subresource Integrity). */
  readonly integrity: string;
};

type Lockfile = { readonly packages: Readonly<Record<string, readonly unknown[]>> };

/** Reads `bun.lock`. @returns the packages by their path, such as `debug` or `parent/debug` */
export async function readLockfile(): Promise<ReadonlyMap<string, LockedPackage>> {
  const text = await Bun.file(join(ROOT, 'bun.lock')).text();
  const { packages } = Bun.JSONC.parse(text) as Lockfile;
  const locked = Object.entries(packages).map(([path, [id, , , integrity]]) => {
    const [, name, version] = /^(@?[^@]+)@(.+)$/.exec(String(id)) ?? [];
    if (name === undefined || version === undefined || typeof integrity !== 'string') {
      throw new Error(`bun.lock: the entry ${JSON.stringify(path)} has an unknown format`);
    }
    return [path, { name, version, integrity }] as const;
  });
  return new Map(locked);
}

/**
 * Downloads a package of another platform with npm, and unpacks it.
 *
 * @param folder a folder that does not exist
 * @throws if the tarball does not have the hash in `bun.lock`
 */
export function unpackPackage(locked: LockedPackage, folder: string): void {
  const tarball = join(CACHE, `${locked.name.replaceAll('/', '-')}-${locked.version}.tgz`);
  if (!existsSync(tarball)) download(locked, tarball);
  const actual = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (actual !== locked.integrity) {
    rmSync(tarball);
    throw new Error(
      `${locked.name}@${locked.version} has the hash ${actual}, but bun.lock requires ${locked.integrity}`,
    );
  }
  mkdirSync(folder, { recursive: true });
  run(['tar', '-xzf', tarball, '-C', folder, '--strip-components=1', '--no-same-owner']);
}

function download({ name, version }: LockedPackage, tarball: string): void {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'download-'));
  try {
    const output = run(['npm', 'pack', `${name}@${version}`, '--json', '--pack-destination', folder]);
    const [packed] = JSON.parse(output) as readonly { readonly filename: string }[];
    if (packed === undefined) throw new Error(`npm did not download ${name}@${version}`);
    renameSync(join(folder, packed.filename), tarball);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
