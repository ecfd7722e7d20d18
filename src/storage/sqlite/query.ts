import {
  Column,
  fillPlaceholders,
  getTableName,
  is,
  type Query,
  type SelectedFieldsOrdered,
  SQL,
} from 'drizzle-orm';
import { PgPreparedQuery } from 'drizzle-orm/pg-core';
import { type Awaitable, chain } from '../../lib/awaitable.ts';

/** What a query selects, in the order of its columns. */
export type SelectedFields = SelectedFieldsOrdered<Column>;

type Row = Record<string, unknown>;

/** Reads one column into `row[outer]`, or into `row[outer][inner]` for joins. */
type Reader = {
  readonly outer: string;
  readonly inner: string | undefined;
  readonly table: string | undefined;
  readonly decoder: Pick<Column, 'mapFromDriverValue'>;
};

/** Returns a function that converts a row of a query into an object. @param fields columns of one table, or objects of them for joins */
function createReader(fields: SelectedFields) {
  const readers = fields.map(({ path, field }): Reader => {
    const source = is(field, Column) || is(field, SQL) ? field : (field as SQL.Aliased).sql;
    const decoder = is(source, Column) ? source : (source as SQL & { readonly decoder: Column }).decoder;
    const [outer = '', inner] = path;
    const table = is(field, Column) ? getTableName(field.table) : undefined;
    return { outer, inner, table, decoder };
  });
  const isFlat = readers.every(({ inner }) => inner === undefined);
  /** @param isRequired whether a joined table has a row in every row of the query, by its name; undefined without joins */
  return (values: readonly unknown[], isRequired: Readonly<Record<string, boolean>> | undefined): Row => {
    const row: Row = {};
    if (isFlat) {
      for (let i = 0; i < readers.length; i++) {
        const { outer, decoder } = readers[i] as Reader;
        const value = values[i];
        row[outer] = value === null ? null : decoder.mapFromDriverValue(value);
      }
      return row;
    }
    const empty = new Map<string, boolean>();
    readers.forEach(({ outer, inner, table, decoder }, index) => {
      const given = values[index];
      const value = given === null ? null : decoder.mapFromDriverValue(given);
      if (inner === undefined) {
        row[outer] = value;
        return;
      }
      row[outer] ??= {};
      (row[outer] as Row)[inner] = value;
      const mayBeMissing = table !== undefined && isRequired?.[table] === false;
      empty.set(outer, (empty.get(outer) ?? true) && value === null && mayBeMissing);
    });
    for (const [outer, isEmpty] of empty) if (isEmpty) row[outer] = null;
    return row;
  };
}

/** Runs a statement. @returns its rows, as arrays or objects */
export type Run = (
  text: string,
  values: readonly unknown[],
  isArray: boolean,
) => unknown[] | Promise<unknown[]>;

export type Rows = { execute: unknown; all: unknown; values: unknown };

/** A query of drizzle. */
export class SqliteQuery<Result extends Rows = Rows> extends PgPreparedQuery<Result> {
  /** Drizzle sets it for joins. */
  readonly joinsNotNullableMap?: Record<string, boolean>;
  readonly #run: Run;
  readonly #read: ReturnType<typeof createReader> | undefined;

  constructor(run: Run, query: Query, fields: SelectedFields | undefined) {
    super(query, undefined, undefined);
    this.#run = run;
    this.#read = fields && createReader(fields);
  }

  async execute(placeholders: Record<string, unknown> = {}): Promise<Result['execute']> {
    return this.#select(placeholders);
  }

  /** @returns the first row; at once, unless the connection is in a transaction */
  first(placeholders: Record<string, unknown>): Awaitable<unknown> {
    return chain(this.#select(placeholders), (rows) => rows[0]);
  }

  #select(placeholders: Record<string, unknown>): Awaitable<unknown[]> {
    const { sql: text, params } = this.query;
    const read = this.#read;
    const rows = this.#run(text, fillPlaceholders(params, placeholders), read !== undefined);
    if (read === undefined) return rows;
    return chain(rows, (found) =>
      found.map((row) => read(row as readonly unknown[], this.joinsNotNullableMap)),
    );
  }

  isResponseInArrayMode = () => false;
}
