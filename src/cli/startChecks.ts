import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Below this limit, a server does not start. Before the first client connects, a server with four threads has up to 33 open files with
 * SQLite, and 46 with PostgreSQL when it uses all of its connections. With a lower limit, it would neither work nor report an error.
 */
export const REQUIRED_FILES = 64;

/** Each connection of a client is an open file for up to 30 seconds after its last request: 100 new visitors per second need 3000. */
export const RECOMMENDED_FILES = 4096;

export const FILE_LIMIT_FIX =
  'Raise the limit of open files: LimitNOFILE= of a systemd service, the option --ulimit nofile= of a container, or ulimit -n.';

const FILE = '/proc/self/limits';

/** @returns how many files this process can open; undefined if it is unlimited or not known on this system */
export function readFileLimit(): number | undefined {
  if (!existsSync(FILE)) return undefined;
  // The columns are the soft limit, which applies, and the hard limit (proc_pid_limits(5)).
  const soft = /^Max open files +(\d+) /m.exec(readFileSync(FILE, 'utf8'))?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** A data folder that users other than its owner and its group can list or enter. */
type ExposedFolder = {
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
