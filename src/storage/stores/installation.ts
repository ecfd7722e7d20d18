import { randomFillSync } from 'node:crypto';
import { desc, eq, lte, notInArray, sql } from 'drizzle-orm';
import {
  type InstallationStore,
  type RestoreChanges,
  type SigningKey,
  type SigningKeyStore,
  STORED_BUILDS,
  type WidgetBuildStore,
} from '../../model/ports/installation.ts';
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
import { prepared } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { installation, sessions, signingKeys, twoFactorSecrets, widgetBuilds } from '../schema.ts';

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

/** Servers list the keys after every write. */
const selectAll = prepared((orm) => orm.select().from(signingKeys).orderBy(desc(orm.engine.rowNumber)));

/** @see SigningKeyStore */
export function createSigningKeyStore(database: StoreDatabase, { invalidate }: Changes): SigningKeyStore {
  // In the order of the rows, because the clock may have been set back.
  const { rowNumber } = database.orm.engine;
  const { createdAt } = signingKeys;
  return {
    list: () => selectAll(database.orm, {}),
    async add(key, entry) {
      await invalidate(entry, async (tx) => {
        await tx.insert(signingKeys).values(key);
        return true;
      });
    },
    addAfterLoss: (key, entry) =>
      invalidate(entry, async (tx) => {
        if (!(await tx.engine.acceptLoss(tx))) return false;
        await tx.insert(signingKeys).values(key);
        return true;
      }),
    async replaceAll(key, entry) {
      await invalidate(entry, async (tx) => {
        await replaceSigningKeys(tx, key);
        return true;
      });
    },
    prune: (replacedBefore) =>
      database.transact(async (tx) => {
        const newest = tx
          .select({ newest: sql`max(${rowNumber})` })
          .from(signingKeys)
          .where(lte(createdAt, replacedBefore));
        const replaced = sql`${rowNumber} < (${newest})`;
        const deleted = await tx.delete(signingKeys).where(replaced).returning({ createdAt });
        if (deleted.length > 0) await tx.engine.announceChange(tx);
        return deleted.length;
      }),
  };
}

/** Deletes all signing keys and adds one, inside a transaction. */
async function replaceSigningKeys(tx: Executor, key: SigningKey): Promise<void> {
  await tx.delete(signingKeys);
  await tx.insert(signingKeys).values(key);
}

/** @see WidgetBuildStore */
export function createWidgetBuildStore(database: StoreDatabase): WidgetBuildStore {
  const { id, contents, currentAt } = widgetBuilds;
  const ids = (executor: Executor) =>
    executor.select({ id }).from(widgetBuilds).orderBy(desc(currentAt), desc(id));

  return {
    recordCurrent: (current, given, at) =>
      database.transact(async (tx) => {
        const stored = await tx
          .update(widgetBuilds)
          .set({ currentAt: at })
          .where(eq(id, current))
          .returning({ id });
        if (stored.length === 0) {
          if (given === undefined) return false;
          // Another node may store the same build at the same time.
          await tx
            .insert(widgetBuilds)
            .values({ id: current, contents: given, currentAt: at })
            .onConflictDoUpdate({ target: id, set: { currentAt: at } });
        }
        await tx.delete(widgetBuilds).where(notInArray(id, ids(tx).limit(STORED_BUILDS)));
        return true;
      }),
    list: async () => (await ids(database.orm)).map((row) => row.id),
    async byId(wanted) {
      const [row] = await database.orm.select({ contents }).from(widgetBuilds).where(eq(id, wanted));
      return row?.contents;
    },
  };
}
