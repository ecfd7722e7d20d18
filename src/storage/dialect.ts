import type { SQL, SQLWrapper } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Awaitable } from '../lib/awaitable.ts';
import type { PageSlice } from '../lib/page.ts';
import type { PropertyId } from '../model/property.ts';
import type { Day, UsageBatch } from '../model/statistics.ts';
import type { Executor } from './executor.ts';

/** The locks of transactions that are not about rows. */
type LockName = 'statistics';

type PreparedQuery<Row> = { readonly execute: (values: Record<string, unknown>) => Promise<Row[]> };

/** The columns of a row source, by the keys of its rows. */
export type RecordColumns = readonly (readonly [key: string, column: PgColumn])[];

/** Rows that belong to organizations, in an order that an index has for each organization. All texts are SQL. */
export type IndexedList = {
  readonly table: 'properties' | 'property_activity';
  readonly index: string;
  /** The column with the ids. In `order`, it has the name `id`. */
  readonly id: 'id' | 'property_id';
  /** The columns of the order, besides the id. */
  readonly columns: readonly string[];
  readonly condition: string;
  /** A column with truth values that must have this value. */
  readonly flag?: readonly [column: string, value: boolean];
  readonly order: string;
};

/** What differs between the engines. Statements otherwise use only SQL that both understand. */
export type Dialect = {
  /** Whether several servers can use the database at the same time. */
  readonly isClustered: boolean;
  /** Number of rows that one query may search. In SQLite, a query blocks the thread that runs it. */
  readonly largestSearch: number;
  /** Matches rows whose column has one of the values. The text of the statement does not depend on their number. */
  isAnyOf(column: PgColumn | SQL, values: readonly (number | string)[]): SQL;
  /** Matches rows whose integer column is at least `from` and less than `until`. Skips the other rows in an index that starts with it. */
  isInRange(column: SQLWrapper, from: number | SQL, until: number): SQL;
  /** A row source for FROM, with the name `records` and the given columns. The text of the statement does not depend on the number of rows. */
  toRecords(columns: RecordColumns, rows: readonly Readonly<Record<string, unknown>>[]): SQL;
  /** The number of a row, in the order in which the rows of a table without ids were inserted. */
  readonly rowNumber: SQL;
  /** Matches texts that contain `part`. */
  contains(text: SQLWrapper, part: string): SQL;
  /** The position of the first line break in a text, starting with 1; 0 if there is none. */
  lineBreakIn(text: SQLWrapper): SQL;
  /** At the end of a query: locks the selected rows of a table against other changes. @param table its name or alias in the query */
  lockRows(table: string): SQL;
  /** Like `lockRows`, but omits the rows that another transaction has locked. */
  lockFreeRows(table: string): SQL;
  /** Matches a task `t` that is the first unfinished one of its account. */
  readonly isFirstUnfinished: SQL;
  /** The greater of two values that are not null. */
  greatest(first: SQLWrapper, second: unknown): SQL;
  /** A JSON array, as text, of all values of an expression in the selected rows, in their order. */
  jsonList(value: SQLWrapper): SQL<string>;
  /** A column whose indexes SQLite does not use. PostgreSQL chooses an index by its statistics. */
  unindexed(column: PgColumn): PgColumn | SQL;
  /** Matches rows whose column has this truth value, in the same words as the conditions of partial indexes. @param column its name */
  hasFlag(column: string, value: boolean): SQL;
  /** Matches the properties of an organization whose ids are greater than `after`. Reads them from the organization's index. */
  isAfter(organizationId: number, after: number): SQL;
  /** Matches the daily statistics of ids, which have none before `from` and none from `until` on. */
  hasDaysOf(ids: readonly number[], from: Day, until: Day): SQL | undefined;
  /** Selects the ids of the first rows of organizations. Reads only these rows from an index. */
  selectFirst(list: IndexedList, scope: readonly number[], slice: PageSlice): SQL;
  /** Finds properties of organizations, newest first. The condition contains only columns of properties. */
  searchProperties(
    orm: Executor,
    scope: readonly number[],
    condition: SQL | undefined,
    limit: number,
  ): Promise<readonly PropertyId[]>;
  /** Reserves ids for new rows. Unused ids are lost or used later. */
  reserveIds(tx: Executor, table: 'properties', count: number): Promise<readonly number[]>;
  /** Skips ids, so that no new row has an id of a row that a restore removed. */
  skipIds(tx: Executor, table: string, count: number): Promise<void>;
  /** Takes a lock until the end of the transaction. Transactions that share it do not wait for each other. */
  lock(tx: Executor, name: LockName, mode: 'shared' | 'exclusive'): Promise<void>;
  /** Records a batch as the last one of its writer, in the transaction that adds it. @returns false if the batch was already added */
  isFirst(tx: Executor, batch: UsageBatch): Promise<boolean>;
  /** Deletes the records of batches that no writer can repeat. */
  purgeBatches(orm: Executor): Promise<void>;
  /** Runs a prepared query for one row. With SQLite, the row is available at once, unless a transaction is open. */
  lookUp<Row>(query: PreparedQuery<Row>, values: Record<string, unknown>): Awaitable<Row | undefined>;
  /** Checks that commits end. @throws StoreFailure if they wait for a standby that is missing */
  requireCommits(orm: Executor): Promise<void>;
  /** Records that the loss of claims is known. @returns false if another server has done so */
  acceptLoss(tx: Executor): Promise<boolean>;
  /** Changes when another process may have changed data that servers cache. */
  changeVersion(orm: Executor): Promise<number>;
  /** Announces a change to data that servers cache, when the transaction commits. */
  announceChange(tx: Executor): Promise<void>;
  /** Updates the statistics of the planner during an import, which makes tables grow in one transaction. */
  analyze(tx: Executor): Promise<void>;
};
