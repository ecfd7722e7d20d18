import { existsSync, readFileSync } from 'node:fs';

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
