import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.ts';
import { type LockedPackage, ROOT } from './lockfile.ts';

/** The cache of downloaded tarballs. */
const CACHE = join(ROOT, 'node_modules/.cache/release');

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
