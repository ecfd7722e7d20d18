import type { Database, Statement } from 'bun:sqlite';
import { getTableColumns, Param, type Query, type SQL, sql } from 'drizzle-orm';
import { PgDatabase, PgDialect, PgSession, type PgTable } from 'drizzle-orm/pg-core';
import type { Timer } from '../../lib/timer.ts';
import {
  type Builders,
  type Executor,
  RolledBackError,
  type StoreDatabase,
  toExecutor,
} from '../executor.ts';
import { createWriteQueue } from '../writeQueue.ts';
import { sqliteDialect } from './dialect.ts';
import { type Rows, type Run, type SelectedFields, SqliteQuery } from './query.ts';

/** Maximum number of statements that stay prepared. The texts of most statements do not depend on their values. */
const PREPARED_MAX = 500;

type SelectConfig = Parameters<PgDialect['buildSelectQuery']>[0];
type InsertConfig = Parameters<PgDialect['buildInsertQuery']>[0];

/**
 * PostgreSQL's dialect as SQLite understands it: parameters are numbered with `?`, omitted columns are null, because SQLite has no keyword for
 * a default inside of VALUES, and rows are not locked, because SQLite has only one writer.
 */
class SqliteBuilder extends PgDialect {
  override escapeParam = (index: number): string => `?${index + 1}`;

  override buildSelectQuery({ lockingClause: _, ...config }: SelectConfig): SQL {
    return super.buildSelectQuery(config);
  }

  override buildInsertQuery(config: InsertConfig): SQL {
    const { table, values } = config;
    return super.buildInsertQuery({
      ...config,
      values: Array.isArray(values) ? values.map((row) => withDefaults(table, row)) : values,
    });
  }
}

function withDefaults(table: PgTable, row: Readonly<Record<string, Param | SQL>>) {
  const columns = Object.entries(getTableColumns(table)).map(([key, column]) => {
    const value = row[key];
    const isGiven = value !== undefined && !(value instanceof Param && value.value === undefined);
    return [
      key,
      isGiven ? value : column.default === undefined ? sql`null` : new Param(column.default, column),
    ];
  });
  return Object.fromEntries(columns);
}

class SqliteSession extends PgSession {
  readonly #run: Run;

  constructor(run: Run, builder: PgDialect) {
    super(builder);
    this.#run = run;
  }

  override prepareQuery<Result extends Rows>(query: Query, fields: SelectedFields | undefined) {
    return new SqliteQuery<Result>(this.#run, query, fields);
  }

  override transaction(): never {
    throw new Error('use the transactions of StoreDatabase');
  }
}

function createBuilders(run: Run): Builders {
  const builder = new SqliteBuilder();
  return new PgDatabase(builder, new SqliteSession(run, builder), undefined) as unknown as Builders;
}

/** @returns a function that returns a prepared statement, which stays prepared for the next calls */
function createPrepare(raw: Database): (text: string) => Statement {
  const prepared = new Map<string, Statement>();
  return (text) => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = raw.prepare(text);
    const [oldest] = prepared.size === PREPARED_MAX ? prepared : [];
    if (oldest !== undefined) {
      prepared.delete(oldest[0]);
      oldest[1].finalize();
    }
    prepared.set(text, statement);
    return statement;
  };
}

type Boundaries = { readonly begin: string; readonly end: string; readonly undo: readonly string[] };

const SAVEPOINT: Boundaries = {
  begin: 'SAVEPOINT part',
  end: 'RELEASE part',
  undo: ['ROLLBACK TO part', 'RELEASE part'],
};
const WRITING: Boundaries = { begin: 'BEGIN IMMEDIATE', end: 'COMMIT', undo: ['ROLLBACK'] };
const READING: Boundaries = { ...WRITING, begin: 'BEGIN DEFERRED' };

/**
 * Returns the main database for stores. All statements run on one connection: a statement outside of a transaction waits until the running
 * transaction has ended.
 *
 * @param raw if a transaction is open, for a group of calls, `transact` uses a savepoint
 */
export function createStoreDatabase(raw: Database, timer?: Timer): StoreDatabase {
  const prepare = createPrepare(raw);
  const queue = createWriteQueue(1, timer);
  /** Work that runs or waits for its turn. */
  let pending = 0;

  const run = (text: string, values: readonly unknown[], isArray: boolean): unknown[] => {
    const statement = prepare(text);
    return isArray ? statement.values(...(values as [])) : statement.all(...(values as []));
  };

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    pending++;
    return queue(work).finally(() => pending--);
  }

  const noSavepoint = () => Promise.reject(new Error('there is no transaction'));
  const outside: Run = (...args) => (pending === 0 ? run(...args) : inTurn(async () => run(...args)));
  const orm = toExecutor(createBuilders(outside), sqliteDialect, noSavepoint);
  const tx: Executor = toExecutor(createBuilders(run), sqliteDialect, savepoint);

  async function within<T>({ begin, end, undo }: Boundaries, work: (tx: Executor) => Promise<T>): Promise<T> {
    prepare(begin).run();
    try {
      const result = await work(tx);
      prepare(end).run();
      return result;
    } catch (error) {
      // SQLite can roll back the whole transaction, for example on a full disk.
      if (raw.inTransaction) for (const statement of undo) raw.run(statement);
      throw error;
    }
  }

  async function savepoint<T>(work: (tx: Executor) => Promise<T>): Promise<T> {
    try {
      return await within(SAVEPOINT, work);
    } catch (error) {
      throw raw.inTransaction
        ? error
        : new RolledBackError('the transaction was rolled back', { cause: error });
    }
  }

  function transact<T>(boundaries: Boundaries, work: (tx: Executor) => Promise<T>): Promise<T> {
    // The calls of a group run one after another.
    if (pending === 0 && raw.inTransaction) return within(SAVEPOINT, work);
    return inTurn(() => within(boundaries, work));
  }

  return {
    orm,
    transact: (work) => transact(WRITING, work),
    transactConcurrently: (work) => transact(WRITING, work),
    snapshot: (work) => transact(READING, work),
  };
}
