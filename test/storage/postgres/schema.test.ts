import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../../../src/storage/schema.ts';
import type { DatabaseAddress } from '../../support/postgres.ts';
import { migratedDatabase, sharedPostgres } from '../../support/sharedPostgres.ts';

type Column = {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: boolean;
  readonly hasIdentity: boolean;
  readonly collation: string | null;
};

let address: DatabaseAddress;
let admin: Bun.SQL;
beforeAll(async () => {
  address = await migratedDatabase();
  admin = (await sharedPostgres()).connectAdmin(address);
});
afterAll(async () => {
  await admin.close();
  await (await sharedPostgres()).dropDatabase(address);
});

const configs = Object.values(schema)
  .filter((value) => is(value, PgTable))
  .map((table) => getTableConfig(table));

async function columnsOf(table: string): Promise<readonly Column[]> {
  return admin`
    SELECT column_name AS name, data_type AS type, is_nullable = 'NO' AS "isNotNull",
      is_identity = 'YES' AS "hasIdentity", collation_name AS collation
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ${table}
      -- The order of the keys; in SQLite, it is that of the rows.
      AND NOT (table_name = 'signing_keys' AND column_name = 'number')`;
}

/** The columns of unique and primary keys, in the format of pg_get_constraintdef. */
async function keysOf(table: string): Promise<readonly string[]> {
  const rows: { key: string }[] = await admin`
    SELECT pg_get_constraintdef(oid) AS key FROM pg_constraint
    WHERE conrelid = ${table}::regclass AND contype IN ('p', 'u')
      AND pg_get_constraintdef(oid) <> 'UNIQUE (number)' ORDER BY 1`;
  return rows.map(({ key }) => key);
}

describe.each(configs.map((config) => [config.name, config] as const))('the table %s', (name, config) => {
  test('has the same columns with the same types and null constraints', async () => {
    const theirs = (await columnsOf(name)).map(({ collation: _, ...column }) => column);
    const ours = config.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      isNotNull: column.notNull,
      hasIdentity: column.generatedIdentity !== undefined,
    }));
    const order = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(ours.toSorted(order)).toEqual(theirs.toSorted(order));
  });

  test('has the same primary key and unique columns', async () => {
    const alone = config.columns.filter(({ primary }) => primary).map((column) => column.name);
    const together = config.primaryKeys.flatMap(({ columns }) => columns.map((column) => column.name));
    const unique = config.columns
      .filter(({ isUnique }) => isUnique)
      .map((column) => `UNIQUE (${column.name})`);
    const ours = [`PRIMARY KEY (${[...alone, ...together].join(', ')})`, ...unique];
    expect(ours.sort()).toEqual([...(await keysOf(name))]);
  });
});

test('all text is compared by code point, as in SQLite', async () => {
  const rows: { name: string }[] = await admin`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`;
  expect([...rows]).toEqual([]);
});
