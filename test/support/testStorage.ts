import { Database } from 'bun:sqlite';
import { describe } from 'bun:test';
import { join } from 'node:path';
import { CLAIMS_FILE, MAIN_FILE } from '../../src/storage/sqlite/open.ts';
import type { StorageEngine } from '../../src/storage/storage.ts';
import type { StartWorker } from '../../src/threads/worker.ts';
import { createTestEngine } from './engine.ts';
import type { DatabaseAddress } from './postgres.ts';
import { type RawDatabase, rawPostgres, rawSqlite } from './rawDatabase.ts';
import { migratedDatabase, sharedPostgres } from './sharedPostgres.ts';
import { readStoredClaims } from './storedClaims.ts';
import { createThreadPool } from './threadPool.ts';

/** The engine of the servers and commands in this process. `test/run.ts` runs some tests on each engine. */
export const ENGINE = readEngine(process.env.TEST_ENGINE ?? 'sqlite');

function readEngine(name: string): 'sqlite' | 'postgres' {
  if (name === 'sqlite' || name === 'postgres') return name;
  throw new Error(`TEST_ENGINE must be sqlite or postgres, not ${name}`);
}

/** Declares tests about the files, statements, or threads of SQLite, which exist only in the run on SQLite. */
export function describeSqlite(title: string, declare: () => void): void {
  if (ENGINE === 'sqlite') describe(title, declare);
}

/** By data folder. */
const databases = new Map<string, Promise<DatabaseAddress>>();

/** @returns the PostgreSQL database that stands for a data folder */
function databaseOf(dataDir: string): Promise<DatabaseAddress> {
  const database = databases.get(dataDir) ?? migratedDatabase();
  databases.set(dataDir, database);
  return database;
}

/** @returns the settings of servers and commands on this data folder, which select the engine */
export async function storageSettings(dataDir: string): Promise<Readonly<Record<string, string>>> {
  return ENGINE === 'sqlite' ? {} : { POSTERN_DATABASE_URL: (await databaseOf(dataDir)).url };
}

/** Removes the PostgreSQL database that stands for a data folder, if there is one. The caller removes the folder. */
export async function removeDatabase(dataDir: string): Promise<void> {
  const database = databases.get(dataDir);
  databases.delete(dataDir);
  if (database !== undefined) await (await sharedPostgres()).dropDatabase(await database);
}

/** Opens a connection to a database of a data folder. PostgreSQL has the tables of both databases in one. */
export async function openRaw(
  dataDir: string,
  file: typeof MAIN_FILE | typeof CLAIMS_FILE = MAIN_FILE,
): Promise<RawDatabase & { readonly close: () => unknown }> {
  if (ENGINE === 'sqlite') {
    const database = new Database(join(dataDir, file));
    return { ...rawSqlite(database), close: () => database.close() };
  }
  return openRawPostgres(await databaseOf(dataDir));
}

async function openRawPostgres(address: DatabaseAddress) {
  const admin = (await sharedPostgres()).connectAdmin(address, { bigint: true });
  return { ...rawPostgres(admin), close: () => admin.close() };
}

/** What a test server needs from its storage. */
export type TestStorage = {
  readonly settings: Readonly<Record<string, string>>;
  /** Undefined if the settings select the engine. */
  readonly engine: StorageEngine | undefined;
  /** The main database; available as soon as the server is open. */
  readonly raw: () => RawDatabase;
  readonly written: () => Promise<Written>;
  readonly close: () => unknown;
};

/** Numbers that change with every commit of management data, by any process, and with every claim in the ledger. */
export type Written = { readonly commits: string; readonly claims: number };

/** Start threads of SQLite that the test controls. */
type TestThreads = Readonly<Partial<Record<'startWriter' | 'startLedger', StartWorker | undefined>>>;

export function openTestStorage(dataDir: string, threads: TestThreads = {}): Promise<TestStorage> {
  return ENGINE === 'sqlite' ? openSqlite(dataDir, threads) : openPostgres(dataDir);
}

const sharedWriters = createThreadPool('writer');
const sharedLedgers = createThreadPool('ledger');

async function openSqlite(
  dataDir: string,
  { startWriter = sharedWriters, startLedger = sharedLedgers }: TestThreads,
): Promise<TestStorage> {
  const engine = createTestEngine({ startWriter, startLedger });
  return {
    settings: {},
    engine,
    raw: () => rawSqlite(engine.raw()),
    async written() {
      const own = engine.raw().query<{ n: number }, []>('SELECT total_changes() AS n').get()?.n;
      // https://sqlite.org/pragma.html#pragma_data_version: commits of other connections, such as the writer thread's.
      const others = engine
        .raw()
        .query<{ n: number }, []>('SELECT data_version AS n FROM pragma_data_version')
        .get()?.n;
      const { presentations } = readStoredClaims(join(dataDir, CLAIMS_FILE));
      return { commits: `${own}, ${others}`, claims: presentations };
    },
    close() {},
  };
}

/** Tables of the ledger, and of what servers on SQLite have in memory. */
const OTHER_TABLES = [
  ...['claims', 'claims_origin', 'purged', 'repeats'],
  ...['address_secrets', 'count_batches', 'failed_attempts', 'nodes', 'statistics_writers', 'used_forms'],
];

async function openPostgres(dataDir: string): Promise<TestStorage> {
  return openDatabase(await databaseOf(dataDir));
}

/** Opens a PostgreSQL database, regardless of ENGINE. */
export async function openDatabase(address: DatabaseAddress): Promise<TestStorage> {
  const settings = { POSTERN_DATABASE_URL: address.url };
  const raw = await openRawPostgres(address);
  return {
    settings,
    engine: undefined,
    raw: () => raw,
    async written() {
      const tables = await raw.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
      );
      // Each version of a row has another place and transaction.
      const versions = tables
        .filter(({ name }) => !OTHER_TABLES.includes(name))
        .map(({ name }) => `SELECT '${name}', ctid::text, xmin::text FROM "${name}"`);
      const [row] = await raw.query<{ commits: string; claims: number }>(
        `SELECT md5(string_agg(v::text, ';' ORDER BY v)) AS commits,
           (SELECT coalesce(sum(presentations), 0)::integer FROM claims) AS claims
         FROM (${versions.join(' UNION ALL ')}) v`,
      );
      if (row === undefined) throw new Error('the database returned no row');
      return row;
    },
    close: raw.close,
  };
}
