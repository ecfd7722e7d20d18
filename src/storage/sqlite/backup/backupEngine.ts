import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupEngine } from '../../storage.ts';
import { lockFolder } from '../folderLock.ts';
import { writeLastBackup } from '../lastBackup.ts';
import { MIGRATIONS } from '../migrate.ts';
import { CLAIMS_FILE, checkMain, hasTable, MAIN_FILE, rejectEmptyMain } from '../open.ts';
import { CLAIMS_SCHEMA, checkCopies, copyDatabases } from './copyDatabases.ts';
import { replaceDatabases } from './replaceDatabases.ts';
import { withDatabase, withLoggedDatabase } from './withDatabase.ts';

/** @see BackupEngine */
export const backupEngine: BackupEngine = {
  lock: lockFolder,
  identify,
  copy: copyDatabases,
  recordBackup: (dataDir, at) =>
    withDatabase(join(dataDir, MAIN_FILE), (database) => writeLastBackup(database, at)),
  newestSchemas: { [MAIN_FILE]: MIGRATIONS.at(-1)?.version ?? 0, [CLAIMS_FILE]: CLAIMS_SCHEMA },
  check: checkCopies,
  replace: replaceDatabases,
};

/** @returns 8 digits that are derived from the key for ids, which differs between installations and never changes. */
function identify(dataDir: string): string {
  const file = join(dataDir, MAIN_FILE);
  rejectEmptyMain(dataDir);
  if (!existsSync(file)) throw new Error(`${dataDir} contains no database`);
  const idKey = withLoggedDatabase(file, (database) => {
    checkMain(database, dataDir);
    // The first schemas had no such table.
    if (!hasTable(database, 'installation')) return null;
    return database
      .query<{ value: Uint8Array }, []>("SELECT value FROM installation WHERE name = 'id key'")
      .get();
  });
  const hash = createHash('sha256')
    .update('postern backup\0')
    .update(idKey?.value ?? new Uint8Array());
  return hash.digest('hex').slice(0, 8);
}
