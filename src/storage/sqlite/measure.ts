import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskSpace } from '../../model/readings.ts';
import type { StorageFacts, StorageRows } from '../../model/system.ts';
import { versionOf } from './migrate.ts';
import { CLAIMS_FILE, MAIN_FILE, type MainDatabase } from './open.ts';

/** The files of a data folder. */
const FILES = [
  { name: MAIN_FILE, database: 'main', isLog: false },
  { name: `${MAIN_FILE}-wal`, database: 'main', isLog: true },
  { name: CLAIMS_FILE, database: 'claims', isLog: false },
  { name: `${CLAIMS_FILE}-wal`, database: 'claims', isLog: true },
] as const;

/** @see StorageEngine */
export function fileSizes(dataDir: string): StorageFacts['files'] {
  return FILES.flatMap((file) => {
    const stat = statSync(join(dataDir, file.name), { throwIfNoEntry: false });
    return stat === undefined ? [] : [{ ...file, sizeBytes: stat.size }];
  });
}

/**
 * Returns file sizes, and row counts of the main database: 5 ms with a million audit log entries. Claims are not counted, because
 * there may be many millions.
 */
export function measureStorage({ raw }: MainDatabase, dataDir: string): StorageFacts {
  const rows = raw.query<StorageRows, []>(`
    SELECT
      (SELECT count(*) FROM accounts) AS accounts,
      (SELECT count(*) FROM organizations WHERE deleted_at IS NULL) AS organizations,
      (SELECT count(*) FROM properties WHERE deleted_at IS NULL) AS properties,
      (SELECT count(*) FROM api_keys WHERE revoked_at IS NULL) AS apiKeys,
      (SELECT count(*) FROM invitations) AS invitations,
      (SELECT count(*) FROM tasks WHERE finished_at IS NULL) AS unfinishedTasks,
      (SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL) AS finishedTasks,
      (SELECT count(*) FROM audit) AS auditEntries`);
  return { schema: versionOf(raw), files: fileSizes(dataDir), rows: rows.get() as StorageRows };
}

/** @returns the space of the file system that contains the data folder */
export async function measureDisk(dataDir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dataDir);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
