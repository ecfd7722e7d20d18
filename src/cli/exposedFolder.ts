import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A data folder that users other than its owner and its group can list or enter. */
export type ExposedFolder = {
  readonly folder: string;
  /** Four octal digits. */
  readonly mode: string;
  /** Names of the files in it that they can read. */
  readonly readable: readonly string[];
  /** The command that ends their access. */
  readonly fix: string;
};

/** The permissions of other users: all, and to read. */
const OTHERS = 0o007;
const OTHERS_READ = 0o004;

/**
 * Checks whether other users of this machine can list or enter a data folder. Postern creates it with mode 0700, but does not change the
 * mode of a folder that exists. Group permissions are intended, for example for a backup program or the `fsGroup` of Kubernetes.
 *
 * @returns undefined if they cannot, or if there is no folder
 */
export function findExposedFolder(folder: string): ExposedFolder | undefined {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return undefined;
  const isReadable = (name: string) => {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return stat?.isFile() === true && (stat.mode & OTHERS_READ) !== 0;
  };
  return {
    folder,
    mode: (mode & 0o7777).toString(8).padStart(4, '0'),
    readable: readdirSync(folder).filter(isReadable),
    fix: `chmod -R o-rwx ${folder}`,
  };
}
