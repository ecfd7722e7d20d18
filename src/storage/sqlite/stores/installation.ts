import { eq, sql } from 'drizzle-orm';
import type { InstallationStore, RestoreChanges } from '../../../model/ports/installation.ts';
import {
  decodeClockRecord,
  decodeCounter,
  encodeClockRecord,
  encodeCounter,
  NUMBERED_TABLES,
  PROBE_BYTES,
  ROW_NAMES,
  SKIPPED_NUMBERS,
} from '../../installationRows.ts';
import { lastBackupIn, writeLastBackup } from '../lastBackup.ts';
import type { MainDatabase } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { installation, sessions, twoFactorSecrets } from '../schema.ts';
import { replaceSigningKeys } from './signingKeys.ts';

/** @see InstallationStore */
export function createInstallationStore(database: MainDatabase, change: Change): InstallationStore {
  const { orm, raw } = database;
  // Changes with the commits of other connections (https://sqlite.org/pragma.html#pragma_data_version).
  const dataVersion = raw.query<{ data_version: number }, []>('PRAGMA data_version');

  const find = (name: string) => orm.select().from(installation).where(eq(installation.name, name)).get();

  function replace(name: string, value: Uint8Array): void {
    const set = { target: installation.name, set: { value } };
    orm.insert(installation).values({ name, value }).onConflictDoUpdate(set).run();
  }

  return {
    async secret(name, candidate) {
      const row = { name, value: candidate };
      const inserted = orm.insert(installation).values(row).onConflictDoNothing().returning().get();
      return (inserted ?? find(name) ?? row).value;
    },
    async probe() {
      raw.run('INSERT OR REPLACE INTO installation VALUES (?, zeroblob(?))', [ROW_NAMES.probe, PROBE_BYTES]);
    },
    // A separate transaction, because SQLite does not write pages that are used and freed in the same transaction.
    async endProbe() {
      orm.delete(installation).where(eq(installation.name, ROW_NAMES.probe)).run();
    },
    async changeVersion() {
      return dataVersion.get()?.data_version ?? 0;
    },
    async counter() {
      return decodeCounter(find(ROW_NAMES.counter)?.value);
    },
    async increaseCounter(to) {
      const value = encodeCounter(to);
      const greater = {
        target: installation.name,
        set: { value: sql`max(${installation.value}, ${value})` },
      };
      orm.insert(installation).values({ name: ROW_NAMES.counter, value }).onConflictDoUpdate(greater).run();
    },
    async isInMaintenance() {
      return find(ROW_NAMES.maintenance)?.value[0] === 1;
    },
    async lastBackupAt() {
      return lastBackupIn(raw);
    },
    async clockRecord() {
      const row = find(ROW_NAMES.clock);
      return row && decodeClockRecord(row.value);
    },
    async recordClock(record) {
      replace(ROW_NAMES.clock, encodeClockRecord(record));
    },
    async setMaintenance(isOn, entry) {
      await change(entry, () => {
        replace(ROW_NAMES.maintenance, Uint8Array.of(isOn ? 1 : 0));
        return true;
      });
    },
    async completeRestore(changes, entry) {
      await change(entry, () => {
        completeRestore(database, changes);
        return true;
      });
    },
  };
}

function completeRestore({ orm, raw }: MainDatabase, changes: RestoreChanges): void {
  const { signingKey, usedStep, backupAt } = changes;
  replaceSigningKeys(orm, signingKey);
  orm.delete(sessions).run();
  const lastStep = sql`max(${twoFactorSecrets.lastStep}, ${usedStep})`;
  orm.update(twoFactorSecrets).set({ lastStep }).run();
  skipNumbers(raw);
  writeLastBackup(raw, backupAt);
}

/** Without this step, the id of a row that was created after the backup could be assigned to another row. */
function skipNumbers(raw: MainDatabase['raw']): void {
  // SQLite's table for AUTOINCREMENT (https://sqlite.org/autoinc.html) has no entry for a table that never had a row.
  const raise = raw.query<unknown, [number, string]>(
    'UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ?',
  );
  const insert = raw.query<unknown, [string, number]>(
    'INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)',
  );
  for (const name of NUMBERED_TABLES) {
    if (raise.run(SKIPPED_NUMBERS, name).changes === 0) insert.run(name, SKIPPED_NUMBERS);
  }
}
