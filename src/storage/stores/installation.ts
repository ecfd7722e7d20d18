import { randomFillSync } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { InstallationStore, RestoreChanges } from '../../model/ports/installation.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import {
  decodeBackupTime,
  decodeClockRecord,
  decodeCounter,
  encodeBackupTime,
  encodeClockRecord,
  encodeCounter,
  NUMBERED_TABLES,
  PROBE_BYTES,
  ROW_NAMES,
  SKIPPED_NUMBERS,
} from '../installationRows.ts';
import type { Changes } from '../recordedChange.ts';
import { installation, sessions, twoFactorSecrets } from '../schema.ts';
import { replaceSigningKeys } from './signingKeys.ts';

/** @see InstallationStore */
export function createInstallationStore({ orm }: StoreDatabase, { invalidate }: Changes): InstallationStore {
  return {
    async secret(name, candidate) {
      // Commands that only read must not wait for a standby.
      const stored = await read(orm, name);
      if (stored !== undefined) return stored;
      // If there is a conflict, the update changes nothing, and returns the stored row even if another node has just stored it.
      const [row] = await orm
        .insert(installation)
        .values({ name, value: candidate })
        .onConflictDoUpdate({ target: installation.name, set: { name } })
        .returning();
      if (row === undefined) throw new Error('the database returned no row for a secret');
      return row.value;
    },
    // Fails if the server is a standby or the disk is full. The data is random, because PostgreSQL compresses large values.
    // A write that waits for a standby keeps its connection, so repeated attempts would use up the pool.
    async probe() {
      await orm.engine.requireCommits(orm);
      await write(orm, ROW_NAMES.probe, randomFillSync(new Uint8Array(PROBE_BYTES)));
    },
    // A separate transaction, because SQLite does not write pages that are used and freed in the same transaction.
    async endProbe() {
      await orm.delete(installation).where(eq(installation.name, ROW_NAMES.probe));
    },
    async changeVersion() {
      return orm.engine.changeVersion(orm);
    },
    async counter() {
      return decodeCounter(await read(orm, ROW_NAMES.counter));
    },
    async increaseCounter(to) {
      const value = encodeCounter(to);
      const greater = {
        target: installation.name,
        set: { value: orm.engine.greatest(installation.value, value) },
      };
      await orm.insert(installation).values({ name: ROW_NAMES.counter, value }).onConflictDoUpdate(greater);
    },
    async isInMaintenance() {
      return (await read(orm, ROW_NAMES.maintenance))?.[0] === 1;
    },
    async lastBackupAt() {
      const value = await read(orm, ROW_NAMES.lastBackup);
      return value && decodeBackupTime(value);
    },
    async clockRecord() {
      const value = await read(orm, ROW_NAMES.clock);
      return value && decodeClockRecord(value);
    },
    recordClock: (record) => write(orm, ROW_NAMES.clock, encodeClockRecord(record)),
    // The change is announced, because other nodes reread the mode when they are notified.
    async setMaintenance(isOn, entry) {
      await invalidate(entry, async (tx) => {
        await write(tx, ROW_NAMES.maintenance, Uint8Array.of(isOn ? 1 : 0));
        return true;
      });
    },
    async completeRestore(changes, entry) {
      await invalidate(entry, async (tx) => {
        await completeRestore(tx, changes);
        return true;
      });
    },
  };
}

async function read(orm: Executor, name: string): Promise<Uint8Array | undefined> {
  const [row] = await orm.select().from(installation).where(eq(installation.name, name));
  return row?.value;
}

async function write(orm: Executor, name: string, value: Uint8Array): Promise<void> {
  const replace = { target: installation.name, set: { value } };
  await orm.insert(installation).values({ name, value }).onConflictDoUpdate(replace);
}

async function completeRestore(tx: Executor, changes: RestoreChanges): Promise<void> {
  const { signingKey, usedStep, backupAt } = changes;
  await replaceSigningKeys(tx, signingKey);
  await tx.delete(sessions);
  const lastStep = tx.engine.greatest(twoFactorSecrets.lastStep, usedStep);
  await tx.update(twoFactorSecrets).set({ lastStep });
  // Without this step, the id of a row that was created after the backup could be assigned to another row.
  for (const table of NUMBERED_TABLES) await tx.engine.skipIds(tx, table, SKIPPED_NUMBERS);
  await write(tx, ROW_NAMES.lastBackup, encodeBackupTime(backupAt));
}
