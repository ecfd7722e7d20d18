import { type BunSQLDatabase, drizzle } from 'drizzle-orm/bun-sql';
import type { DatabaseUrl } from '../../model/databaseUrl.ts';
import { createWriteQueue, type WriteQueue } from '../writeQueue.ts';

/** The address of the database, and the credentials for it. */
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
  readonly inTurn: WriteQueue;
  /** Waits for running queries for up to five seconds, and then closes all connections. */
  readonly close: () => Promise<void>;
};

export type PoolOptions = {
  /** Maximum number of connections. */
  readonly max: number;
  /** Settings of each connection, by the name of the server's parameter. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called when a connection is closed or cannot be opened. */
  readonly onClose?: () => void;
};

/** Time limit for connecting, in seconds. */
const CONNECTION_TIMEOUT_S = 5;
/** Time limit for one statement, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Time limit for waiting for a lock, in milliseconds. As with SQLite, a write that waits longer fails as if the storage were unavailable. */
const LOCK_TIMEOUT_MS = 5000;
/**
 * Maximum number of management writes at a time: one runs, and the next one waits for the cluster-wide lock. Reads therefore always find a
 * free connection.
 */
const MAX_WRITES = 2;
/** Time limit for closing, in seconds. After it, connections that are still busy are closed too. */
const CLOSE_TIMEOUT_S = 5;

/**
 * The settings that the code depends on. They take precedence over those of the server, the database, and the role, because each connection
 * sends them when it opens. The client itself sends `client_encoding`.
 */
export const PARAMETERS = {
  application_name: 'postern',
  // The formats of values in responses, and of literals in statements.
  bytea_output: 'hex',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  // Transactions take locks, and expect to see what others have committed before.
  default_transaction_isolation: 'read committed',
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  // Connections of pools, subscriptions, and locks are idle for any time, and an export waits for its client in a transaction.
  idle_in_transaction_session_timeout: 0,
  idle_session_timeout: 0,
  // A write that violates a constraint is an expected result.
  exit_on_error: 'off',
  // Compiling a statement can take longer than its time limit.
  jit: 'off',
} as const;

/** Creates a pool for the first server in the URL. Connections are opened when they are needed. @see connectToPrimary for several servers */
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
    connection: { ...PARAMETERS, ...options.parameters },
  });
  return toDatabase(sql);
}

/** Creates a database that uses the given client. */
export function toDatabase(sql: Bun.SQL): Database {
  return {
    sql,
    orm: drizzle({ client: sql }),
    inTurn: createWriteQueue(MAX_WRITES),
    close: () => sql.close({ timeout: CLOSE_TIMEOUT_S }),
  };
}

function toTls({ isEncrypted }: DatabaseUrl, caFile: string | undefined) {
  if (!isEncrypted) return 'disable';
  return caFile === undefined ? 'verify-full' : Bun.file(caFile);
}
