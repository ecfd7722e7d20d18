import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';
import { createFairSemaphore, type SemaphoreHolder } from '../../lib/fairSemaphore.ts';
import type { DatabaseUrl } from '../../model/databaseUrl.ts';

/** Where the database is, and how to sign in. */
export type DatabaseLocation = {
  readonly url: DatabaseUrl;
  /** Used if the URL has no password. */
  readonly password?: string | undefined;
  /** PEM file with the certificates that are trusted instead of the public CAs; undefined for the public CAs. */
  readonly caFile?: string | undefined;
};

/** A pool of connections. */
export type Database = {
  /** For statements that drizzle cannot express. Returns `bigint` values as text. */
  readonly sql: Bun.SQL;
  readonly orm: BunSQLDatabase;
  /**
   * Limits the management writes of this process that run or wait for the lock of the cluster, so that reads always find a free
   * connection.
   */
  readonly writes: SemaphoreHolder;
  /** Waits for running queries, then closes all connections. */
  readonly close: () => Promise<void>;
};

export type PoolOptions = {
  /** Maximum number of connections. */
  readonly max: number;
  /** Settings of each connection, by the name of the server's parameter. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called when a connection was closed or could not be opened. */
  readonly onClose?: () => void;
};

/** Time limit for connecting, in seconds. */
const CONNECTION_TIMEOUT_S = 5;
/** Time limit for one statement, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Time limit for waiting for another transaction, in milliseconds. As for SQLite, a write then fails as if the storage failed. */
const LOCK_TIMEOUT_MS = 5000;
/** Time limit for closing, in seconds; a connection that is still busy is cut. */
const CLOSE_TIMEOUT_S = 5;

/** Maximum number of management writes at a time: one writes, and the next one is ready. */
const MAX_WRITES = 2;

/** Creates a pool for the first server. Connections are opened when they are needed. @see connectToPrimary for several servers */
export function connect({ url, password, caFile }: DatabaseLocation, options: PoolOptions): Database {
  const [{ host, port }] = url.hosts as readonly [DatabaseUrl['hosts'][number]];
  const sql = new Bun.SQL({
    adapter: 'postgres',
    hostname: host.replace(/^\[(.*)\]$/, '$1'),
    port,
    username: url.user,
    password: url.password ?? password ?? '',
    database: url.database,
    tls: toTls(url, caFile),
    max: options.max,
    connectionTimeout: CONNECTION_TIMEOUT_S,
    ...(options.onClose && { onclose: options.onClose }),
    connection: {
      application_name: 'postern',
      TimeZone: 'UTC',
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      ...options.parameters,
    },
  });
  return toDatabase(sql);
}

/** @returns a database that uses a client */
export function toDatabase(sql: Bun.SQL): Database {
  return {
    sql,
    orm: drizzle({ client: sql }),
    writes: createFairSemaphore(MAX_WRITES)(),
    close: () => sql.close({ timeout: CLOSE_TIMEOUT_S }),
  };
}

function toTls({ isEncrypted }: DatabaseUrl, caFile: string | undefined) {
  if (!isEncrypted) return 'disable';
  return caFile === undefined ? 'verify-full' : Bun.file(caFile);
}
