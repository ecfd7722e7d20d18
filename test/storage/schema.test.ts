import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../../src/storage/schema.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';

type Column = { readonly name: string; readonly type: string; readonly notnull: number; readonly pk: number };
type Index = { readonly name: string; readonly unique: number; readonly origin: string };

const database = new Database(':memory:');
migrate(database);

/** The types of SQLite, by those of PostgreSQL. */
const TYPES: Readonly<Record<string, string>> = {
  bigint: 'INTEGER',
  integer: 'INTEGER',
  boolean: 'INTEGER',
  'double precision': 'REAL',
  text: 'TEXT',
  bytea: 'BLOB',
};

const columnsOf = (table: string) => database.query<Column, []>(`PRAGMA table_info(${table})`).all();
const tables = Object.values(schema).filter((value) => is(value, PgTable));
const configs = tables.map((table) => getTableConfig(table));

test('the migrated database has the tables of schema.ts and the table of migrations', () => {
  const names = database
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => name);
  expect(names.sort()).toEqual([...configs.map(({ name }) => name), 'migrations'].sort());
});

describe.each(configs.map((config) => [config.name, config] as const))('the table %s', (name, config) => {
  test('has the same columns with the same types and null constraints', () => {
    const ours = config.columns.map((column) => ({
      name: column.name,
      type: TYPES[column.getSQLType()],
      isNotNull: column.notNull,
    }));
    const theirs = columnsOf(name).map((column) => ({
      name: column.name,
      type: column.type,
      isNotNull: column.notnull === 1,
    }));
    expect(ours).toEqual(theirs);
  });

  test('has the same primary key', () => {
    const alone = config.columns.filter(({ primary }) => primary).map((column) => column.name);
    const together = config.primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name));
    const theirs = columnsOf(name)
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk);
    expect([...alone, ...together]).toEqual(theirs.map((column) => column.name));
  });

  test('has the same unique columns', () => {
    const ours = config.columns.filter(({ isUnique }) => isUnique).map((column) => column.name);
    const theirs = database
      .query<Index, []>(`PRAGMA index_list(${name})`)
      .all()
      .filter(({ origin }) => origin === 'u')
      .map(
        (index) => database.query<{ name: string }, []>(`PRAGMA index_info(${index.name})`).get()?.name ?? '',
      );
    expect(ours.sort()).toEqual(theirs.sort());
  });
});
