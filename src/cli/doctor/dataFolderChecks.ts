import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Instant, MINUTE, toIso } from '../../lib/time.ts';
import { storageEngine } from '../../server/storage.ts';
import { type Check, failed, passed, runCheck, warning } from './check.ts';

const MIB = 1024 ** 2;
const MIN_FREE_BYTES = 64 * MIB;
const LOW_FREE_BYTES = 1024 * MIB;

/** Network file systems by the type that Linux reports (statfs(2)). Most FUSE file systems are network file systems too. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x786f4256, 'VirtualBox shared folder'],
]);

/** Earlier than the release of this version, so a clock that shows an earlier time was never set. */
const EARLIEST_TIME = Date.UTC(2026, 0, 1);

/** Checks the folder, its file system, and its database. Does not create or change anything. */
export function checkDataFolder(dataDir: string, now: Instant): readonly Check[] {
  const folder = resolve(dataDir);
  const access = runCheck('data-folder', () => checkAccess(folder));
  if (!access.ok) return [access];
  const existing = findExisting(folder);
  return [
    access,
    runCheck('file-system', () => checkFileSystem(existing)),
    runCheck('free-space', () => checkFreeSpace(existing)),
    runCheck('database', () => checkDatabase(folder)),
    runCheck('integrity', () => checkIntegrity(folder)),
    runCheck('data-size', () => checkDataSize(folder)),
    runCheck('clock', () => checkClock(folder, now)),
  ];
}

function checkAccess(folder: string): Check {
  const existing = findExisting(folder);
  if (!statSync(existing).isDirectory()) return failed('data-folder', `${existing} is not a folder`);
  accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  const detail = existing === folder ? folder : `${folder} will be created at the first start`;
  return passed('data-folder', detail);
}

/** @returns the folder, or the closest parent that exists */
function findExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findExisting(dirname(folder));
}

function checkFileSystem(folder: string): Check {
  const network = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type >>> 0);
  if (network === undefined) return passed('file-system', 'local');
  return warning(
    'file-system',
    `${network}: SQLite needs file locks and shared memory, which network file systems rarely support; use a local disk`,
  );
}

function checkFreeSpace(folder: string): Check {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / MIB)} MiB`;
  if (free < MIN_FREE_BYTES) return failed('free-space', `${detail}: claims cannot be stored on a full disk`);
  return free < LOW_FREE_BYTES ? warning('free-space', detail) : passed('free-space', detail);
}

function checkDatabase(folder: string): Check {
  const found = storageEngine.inspect(folder);
  if (found === undefined) return passed('database', 'does not exist yet');
  const { version, newestVersion } = found;
  const detail = `schema version ${version}`;
  if (version > newestVersion) {
    return failed(
      'database',
      `${detail}, but this version of Postern supports only ${newestVersion} and earlier; use a newer version`,
    );
  }
  if (version === newestVersion) return passed('database', detail);
  return passed('database', `${detail}; the next start migrates it to ${newestVersion}`);
}

/** Takes about 1.5 s for each GB. */
function checkIntegrity(folder: string): Check {
  storageEngine.checkFiles(folder);
  return passed('integrity', 'no damage found');
}

/** Always passes; the sizes are for information. */
function checkDataSize(folder: string): Check {
  const files = storageEngine
    .fileSizes(folder)
    .map(({ name, sizeBytes }) => `${name} ${(sizeBytes / MIB).toFixed(1)} MiB`);
  return passed('data-size', files.length === 0 ? 'no files yet' : files.join(', '));
}

function checkClock(folder: string, now: Instant): Check {
  const detail = toIso(now);
  if (now < EARLIEST_TIME)
    return failed(
      'clock',
      `${detail} is in the past; set the clock, because puzzles and sessions need the correct time`,
    );
  const lastWriteAt = storageEngine.inspect(folder)?.lastWriteAt;
  if (lastWriteAt !== undefined && lastWriteAt > now + MINUTE) {
    return failed('clock', `${detail} is before the last write to the database, ${toIso(lastWriteAt)}`);
  }
  return passed('clock', detail);
}
