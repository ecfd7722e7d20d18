import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Instant } from '../../lib/time.ts';
import { sqliteEngine } from '../../server/storageEngine.ts';
import { findExposedFolder } from '../startChecks.ts';
import { type Check, type Finding, failed, passed, runCheck, warning } from './check.ts';
import { checkDatabases } from './databaseChecks.ts';
import { identifyFileSystem, readMounts } from './fileSystems.ts';

const MIB = 1024 ** 2;
const MIN_FREE_BYTES = 256 * MIB;
const LOW_FREE_BYTES = 1024 * MIB;

/** Checks the folder, its file system, and its databases. Does not create or change anything. */
export function checkDataFolder(dataDir: string, now: Instant): readonly Check[] {
  const folder = resolve(dataDir);
  const access = runCheck('data-folder', `Give the user of this process access to ${folder}.`, () =>
    checkAccess(folder),
  );
  const owner = runCheck('owner', `Give the user of this process access to ${folder}.`, () =>
    checkOwner(folder),
  );
  if (!access.ok) return [access, ...(owner.ok ? [] : [owner])];
  const existing = findExisting(folder);
  return [
    access,
    owner,
    runCheck('permissions', `Run: chmod -R o-rwx ${folder}`, () => checkPermissions(folder)),
    runCheck('file-system', 'Use a local disk.', () => checkFileSystem(existing)),
    runCheck('free-space', 'Use a local disk.', () => checkFreeSpace(existing)),
    ...checkDatabases(folder, now),
  ];
}

function checkAccess(folder: string): Finding {
  const existing = findExisting(folder);
  if (!statSync(existing).isDirectory())
    return failed(`${existing} is not a folder`, 'Set POSTERN_DATA_DIR to a folder, or remove the file.');
  const path = isAccessible(existing, constants.X_OK)
    ? databaseFiles(folder).find((file) => !isAccessible(file))
    : existing;
  if (path !== undefined) {
    const user = userId() ?? 'USER';
    return failed(
      `${path} cannot be read and written by user ${user}`,
      `Mount the file system as writable, run the command as the user that runs the server, or run: chown -R ${user} ${existing} && chmod -R u+rwX ${existing}`,
    );
  }
  const detail = existing === folder ? folder : `${folder} will be created at the first start`;
  return passed(detail);
}

/** Whether this process can read and write a path. @param more additional access rights to check */
function isAccessible(path: string, more = 0): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | more);
    return true;
  } catch {
    return false;
  }
}

/** @returns the folder, or the closest parent that exists */
function findExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findExisting(dirname(folder));
}

function databaseFiles(folder: string): readonly string[] {
  return sqliteEngine.fileSizes(folder).map(({ name }) => join(folder, name));
}

/** @returns undefined on systems without user ids */
function userId(): number | undefined {
  return process.geteuid?.();
}

/** Checks that all files belong to the user that runs the server, because the server cannot open other files. */
function checkOwner(folder: string): Finding {
  const user = userId();
  if (user === undefined) return passed('not checked on this system');
  if (!existsSync(folder)) return passed(`will be user ${user}`);
  const owner = statSync(folder).uid;
  const detail = `${folder} belongs to user ${owner}, but this process runs as user ${user}`;
  const fix = `Run the server and all commands as user ${owner}, or run: chown -R ${user} ${folder}`;
  if (owner !== user && user !== 0) return failed(detail, fix);
  const other = databaseFiles(folder).find((file) => statSync(file).uid !== owner);
  if (other !== undefined) {
    return failed(
      `${other} belongs to user ${statSync(other).uid}, but ${folder} belongs to user ${owner}`,
      `Run commands as the user that runs the server, and run: chown -R ${owner} ${folder}`,
    );
  }
  // Root can open all files, but the server cannot open the files that root creates.
  return owner === user ? passed(`user ${owner}`) : warning(detail, fix);
}

/** Checks that other users of this machine cannot read the secrets in the folder. */
function checkPermissions(folder: string): Finding {
  const exposed = findExposedFolder(folder);
  if (exposed === undefined) return passed('other users have no access');
  const { mode, readable, fix } = exposed;
  const detail = `${folder} has mode ${mode}`;
  return readable.length === 0
    ? warning(`${detail}: other users of this machine can see its files`, `Run: ${fix}`)
    : failed(`${detail}: other users of this machine can read ${readable.join(', ')}`, `Run: ${fix}`);
}

function checkFileSystem(folder: string): Finding {
  const { name, kind } = identifyFileSystem(folder, statfsSync(folder).type, readMounts());
  if (kind === 'local') return passed(name);
  const detail = `${name}: SQLite needs file locks and shared memory, which network file systems rarely support`;
  const fix = 'Set POSTERN_DATA_DIR to a folder on a local disk, and move the data folder there.';
  return kind === 'network' ? failed(detail, fix) : warning(detail, fix);
}

function checkFreeSpace(folder: string): Finding {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / MIB)} MiB`;
  const fix = `Free at least ${LOW_FREE_BYTES / MIB} MiB on the file system of ${folder}, or enlarge it.`;
  if (free < MIN_FREE_BYTES) return failed(`${detail}: claims cannot be stored on a full disk`, fix);
  if (files > 0 && ffree === 0)
    return failed('no free inodes', `Delete files on the file system of ${folder}.`);
  return free < LOW_FREE_BYTES ? warning(detail, fix) : passed(detail);
}
