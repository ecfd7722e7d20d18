import type { BunSQLQueryResultHKT } from 'drizzle-orm/bun-sql';
import type { PgDatabase } from 'drizzle-orm/pg-core';
import type { Dialect } from './dialect.ts';

/** Drizzle's query builders. Both engines execute statements in PostgreSQL's dialect of SQL; a `Dialect` contains what differs. */
export type Builders = PgDatabase<BunSQLQueryResultHKT, Record<string, never>>;

/** Runs statements, inside or outside a transaction. */
export type Executor = Builders & {
  readonly engine: Dialect;
  /** Runs work in a savepoint of the transaction, all or nothing. */
  readonly savepoint: <T>(work: (tx: Executor) => Promise<T>) => Promise<T>;
};

/** The engine has rolled back the whole transaction, for example because the disk is full. `cause` is its error. */
export class RolledBackError extends Error {
  override readonly name = 'RolledBackError';
}

/** Adds to drizzle's builders what stores need besides. */
export function toExecutor(builders: Builders, dialect: Dialect, savepoint: Executor['savepoint']): Executor {
  return Object.assign(builders, { engine: dialect, savepoint });
}

/** The main database, for stores. */
export type StoreDatabase = {
  /** Runs single statements. */
  readonly orm: Executor;
  /**
   * Runs a management write in one transaction, all or nothing. These transactions run one after another, so none of them changes data that
   * another has read.
   *
   * @throws the error of the work or of the database; then nothing was changed, unless the connection was lost during the commit
   */
  readonly transact: <T>(work: (tx: Executor) => Promise<T>) => Promise<T>;
  /** Like `transact`, but transactions of several nodes run at the same time. Rows that several of them change must be locked in one order. */
  readonly transactConcurrently: <T>(work: (tx: Executor) => Promise<T>) => Promise<T>;
  /** Runs several queries on one snapshot of the database, which does not include later commits. */
  readonly snapshot: <T>(work: (tx: Executor) => Promise<T>) => Promise<T>;
};
