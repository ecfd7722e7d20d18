import { join } from 'node:path';
import { runAll } from '../../lib/runAll.ts';
import { createSingleServerState } from '../memory/singleServer.ts';
import type { FileEngine, Storage, StorageOptions } from '../storage.ts';
import { backupEngine } from './backup/backupEngine.ts';
import { emptyLog } from './connection.ts';
import { createStores } from './createStores.ts';
import { checkFiles, inspectMain, migrateMain, pendingMigrations } from './inspect.ts';
import { openLedger } from './ledger/ledger.ts';
import { fileSizes, measureDisk, measureStorage } from './measure.ts';
import { CLAIMS_FILE, MAIN_FILE, type MainDatabase, openMain } from './open.ts';
import { openFolder } from './openFolder.ts';
import type { StartWorker } from './thread.ts';
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
    checkFiles,
    fileSizes,
    backup: backupEngine,
  } satisfies FileEngine;
}

async function openSqlite(options: StorageOptions, threads: Threads): Promise<SqliteStorage> {
  const { dataDir, defaults, onWriterThread, onAuditFailure } = options;
  const { database, lock } = openLocked(dataDir, onWriterThread !== undefined);
  const { stores, close } =
    onWriterThread === undefined
      ? { stores: createStores(database, defaults, onAuditFailure), close: async () => {} }
      : openThreadedStores(database, {
          dataDir,
          defaults,
          onThread: onWriterThread,
          onAuditFailure,
          start: threads.startWriter,
        });
  return {
    stores,
    shared: createSingleServerState(),
    database,
    async openLedger(ledger) {
      const candidate = crypto.getRandomValues(new Uint8Array(16));
      const id = await stores.installation.secret('claims file', candidate);
      const isFirst = Buffer.from(id).equals(candidate);
      const file = join(dataDir, CLAIMS_FILE);
      return openLedger({ ...ledger, file, identity: { id, isFirst }, start: threads.startLedger });
    },
    openCountExchange: () => undefined,
    measure: () => measureStorage(database, dataDir),
    fileSizes: () => fileSizes(dataDir),
    diskSpace: () => measureDisk(dataDir),
    // Servers poll `changeVersion` several times per second instead.
    subscribe: async () => async () => {},
    nodes: undefined,
    close: () =>
      runAll([
        close,
        // A command leaves it to SQLite, because a server may be using the file.
        () => onWriterThread && emptyLog(database.raw, join(dataDir, MAIN_FILE)),
        () => database.raw.close(),
        lock.release,
      ]),
  };
}

/** The lock is released when the storage is closed. */
function openLocked(dataDir: string, isThorough: boolean) {
  const lock = openFolder(dataDir);
  try {
    return { database: openMain(dataDir, isThorough), lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}
