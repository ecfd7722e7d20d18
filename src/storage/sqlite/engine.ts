import { join } from 'node:path';
import { type Closing, closeOnFailure, createClosing } from '../../lib/closing.ts';
import type { StartWorker } from '../../threads/worker.ts';
import { createSingleServerState } from '../memory.ts';
import type { FileEngine, Storage, StorageOptions, Stores } from '../storage.ts';
import { backupEngine } from './backup.ts';
import { emptyLog } from './connection.ts';
import { createSqliteStores } from './createStores.ts';
import { withDataCounter } from './dataCounter.ts';
import { openFolder } from './dataFolder.ts';
import { checkFiles, inspectMain, migrateMain, pendingMigrations, pendingUpgrade } from './inspect.ts';
import { openLedger } from './ledger/ledger.ts';
import { fileSizes, measureDisk, measureStorage } from './measure.ts';
import { CLAIMS_FILE, MAIN_FILE, type MainDatabase, openMain } from './open.ts';
import { openThreadedStores } from './writer/writer.ts';

/** How the engine starts its threads; tests pass their own functions. */
export type Threads = { readonly startWriter?: StartWorker; readonly startLedger?: StartWorker };

/** Tests also access the database. */
export type SqliteStorage = Storage & { readonly database: MainDatabase };

/** SQLite: a main database and a replay ledger in one folder. */
export function createSqliteEngine(threads: Threads = {}) {
  return {
    open: (options) => openSqlite(options, threads),
    inspect: inspectMain,
    migrate: migrateMain,
    pendingMigrations,
    pendingUpgrade,
    checkFiles,
    fileSizes,
    backup: backupEngine,
  } satisfies FileEngine;
}

function openSqlite(options: StorageOptions, threads: Threads): Promise<SqliteStorage> {
  const closing = createClosing();
  return closeOnFailure(closing.close, () => openParts(options, threads, closing));
}

function openParts(options: StorageOptions, threads: Threads, closing: Closing): SqliteStorage {
  const { dataDir, defaults, onWriterThread, onAuditFailure } = options;
  // Locked until the storage is closed.
  closing.add('lock', openFolder(dataDir).release);
  const database = openMain(dataDir, onWriterThread !== undefined);
  closing.add('database', () => database.raw.close());
  // A command leaves it to SQLite, because a server may be using the file.
  if (onWriterThread !== undefined)
    closing.add('log', () => emptyLog(database.raw, join(dataDir, MAIN_FILE)));
  const openStores = (): Stores => {
    if (onWriterThread === undefined) return createSqliteStores(database, defaults, onAuditFailure);
    const { stores, close } = openThreadedStores(database, {
      dataDir,
      defaults,
      onThread: onWriterThread,
      onAuditFailure,
      start: threads.startWriter,
    });
    closing.add('writer', close);
    return stores;
  };
  const stores = openStores();
  return {
    stores,
    shared: createSingleServerState(),
    database,
    async openLedger(ledger) {
      const candidate = crypto.getRandomValues(new Uint8Array(16));
      const id = await stores.installation.secret('claims file', candidate);
      // Without a signing key, no puzzle was issued. Several servers may start for the first time at the same time.
      const isFirst = Buffer.from(id).equals(candidate) || (await stores.signingKeys.list()).length === 0;
      const file = join(dataDir, CLAIMS_FILE);
      const identity = { id, isFirst };
      // Before the claims file is opened; see Counters.
      const counter = await stores.installation.counter();
      const opened = await openLedger({ ...ledger, file, identity, start: threads.startLedger });
      return closeOnFailure(opened.close, () => withDataCounter(opened, counter, stores.installation));
    },
    openCountExchange: () => undefined,
    measure: () => measureStorage(database, dataDir),
    fileSizes: () => fileSizes(dataDir),
    diskSpace: () => measureDisk(dataDir),
    // Servers poll `changeVersion` several times per second instead.
    subscribe: async () => async () => {},
    nodes: undefined,
    servers: undefined,
    close: closing.close,
  };
}
