import { join } from 'node:path';

/** The root of the repository. */
export const ROOT = join(import.meta.dir, '..');

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
