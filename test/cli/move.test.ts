import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_TABLES, type Column, MAIN_TABLES, type Table } from '../../src/storage/move/tables.ts';
import { lockFolder } from '../../src/storage/sqlite/folderLock.ts';
import { openClaims } from '../../src/storage/sqlite/ledger/claims.ts';
import { CLAIMS_FILE, MAIN_FILE, openMain } from '../../src/storage/sqlite/open.ts';
import type { DatabaseAddress } from '../support/postgres.ts';
import { emptyDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { type CommandLine, createCommandLine } from './commandLine.ts';

let cli: CommandLine;
let address: DatabaseAddress;
beforeEach(async () => {
  cli = createCommandLine();
  address = await emptyDatabase();
});
afterEach(async () => {
  await cli.remove();
  await (await sharedPostgres()).dropDatabase(address);
});

const FILES = [
  [MAIN_FILE, MAIN_TABLES],
  [CLAIMS_FILE, CLAIM_TABLES],
] as const;

const nameOf = (table: Table, { name }: Column) =>
  table.name === 'signing_keys' && name === 'number' ? 'rowid' : name;

/** A value that differs between rows, and refers to a row with the same number. */
function valueFor(column: Column, row: number, isNullable: boolean) {
  if (isNullable && row === 3) return null;
  if (column.type === 'bytea') return new Uint8Array([row, 0, 255, 39, 92, 128, 10, row]);
  if (column.type === 'boolean') return row % 2;
  if (column.type === 'text') return `${column.name} ${row} ä'"\\ 𝄞\n{}`;
  if (column.type === 'double precision') return row + 0.1;
  if (column.type === 'integer') return 1000 + row;
  // Instants have more than 32 bits.
  return /(?:^id|_id|^number)$/.test(column.name) ? row : row * 1_790_000_000_000 + row;
}

function fill(database: Database, tables: readonly Table[]): void {
  database.run('PRAGMA foreign_keys = ON');
  for (const table of tables) {
    const nullable = new Set(
      database
        .query<{ name: string }, []>(
          `SELECT name FROM pragma_table_info('${table.name}') WHERE "notnull" = 0`,
        )
        .all()
        .map(({ name }) => name),
    );
    const names = table.columns.map((column) => nameOf(table, column));
    const sql = `INSERT INTO ${table.name} (${names}) VALUES (${names.map(() => '?')})`;
    for (let row = 1; row <= 3; row++) {
      database
        .query(sql)
        .run(...table.columns.map((column) => valueFor(column, row, nullable.has(column.name))));
    }
  }
}

/** Creates a data folder whose tables all have rows. */
function createData(): void {
  const main = openMain(cli.dataDir).raw;
  fill(main, MAIN_TABLES);
  // A number that was used by a row that is deleted.
  main.run("UPDATE sqlite_sequence SET seq = 1000 WHERE name = 'accounts'");
  main.run("INSERT INTO installation VALUES ('claims file', x'00112233445566778899aabbccddeeff')");
  main.close();
  openClaims({ file: join(cli.dataDir, CLAIMS_FILE), durability: 'full' }).close();
  const claims = new Database(join(cli.dataDir, CLAIMS_FILE));
  fill(claims, CLAIM_TABLES);
  claims.run("INSERT INTO lifecycle VALUES (x'00112233445566778899aabbccddeeff', 0)");
  claims.close();
}

/** All rows of all tables of a data folder, including tables that are not moved. */
function dump(folder: string): object {
  const tables = FILES.map(([file]) => {
    const database = new Database(join(folder, file), { readonly: true });
    const names = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .filter(({ name }) => name !== 'migrations');
    const rows = names.map(({ name }) => [
      name,
      database.query(`SELECT * FROM ${name} ORDER BY 1, 2`).values(),
    ]);
    database.close();
    return rows;
  });
  return tables;
}

async function countAccounts(): Promise<number | undefined> {
  const admin = (await sharedPostgres()).connectAdmin(address);
  try {
    const [{ found }] = await admin`SELECT to_regclass('accounts') IS NOT NULL AS found`;
    if (!found) return undefined;
    const [{ rows }] = await admin`SELECT count(*)::integer AS rows FROM accounts`;
    return rows;
  } finally {
    await admin.close();
  }
}

test('every table of the databases is moved, except those that describe a file or are derived from others', async () => {
  createData();
  const described = ['lifecycle', 'migrations', 'sqlite_sequence'];
  // Triggers and a background job create the rows of `property_activity`. Closing the claims file empties `recent_claims`.
  const derived = ['property_activity', 'recent_claims'];
  const names = FILES.flatMap(([file]) =>
    new Database(join(cli.dataDir, file), { readonly: true })
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map(({ name }) => name),
  );
  const moved = [...MAIN_TABLES, ...CLAIM_TABLES].map(({ name }) => name);
  expect([...new Set(names)].sort()).toEqual([...moved, ...described, ...derived].sort());
});

test('all rows and numbers are the same after a move to PostgreSQL and back', async () => {
  createData();
  const before = dump(cli.dataDir);
  const there = await cli.run(
    `move --to ${address.publicUrl} --password-file ${address.passwordFile} --json`,
  );
  expect({ code: there.code, err: there.err }).toMatchObject({ code: 0 });
  const { tables } = JSON.parse(there.out);
  expect(tables.find(({ name }: { name: string }) => name === 'accounts')).toEqual({
    name: 'accounts',
    rows: 3,
  });
  expect(dump(cli.dataDir)).toEqual(before);

  const folder = join(cli.folder, 'back');
  const back = await cli.run(`move --to ${folder}`, { settings: { POSTERN_DATABASE_URL: address.url } });
  expect({ code: back.code, err: back.err }).toMatchObject({ code: 0 });
  expect(back.out).toEndWith('All rows were copied and compared.\n');
  expect(dump(folder)).toEqual(before);
});

test('new rows in PostgreSQL get numbers that were never used', async () => {
  createData();
  await cli.run(`move --to ${address.url}`);
  const admin = (await sharedPostgres()).connectAdmin(address);
  const [{ id }] = await admin`
    INSERT INTO accounts (email, name, is_admin, created_at) VALUES ('new', 'new', false, 0) RETURNING id::integer AS id`;
  await admin.close();
  expect(id).toBe(1001);
});

describe('nothing is copied', () => {
  async function expectFailure(message: RegExp, code = 1) {
    const result = await cli.run(`move --to ${address.url}`);
    expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(message) });
  }

  test('without a data folder', async () => {
    await expectFailure(/contains no database/);
  });

  test('while a server is using the data folder', async () => {
    createData();
    const lock = lockFolder(cli.dataDir, 'use');
    await expectFailure(/a server or another command is using this folder/);
    lock.release();
    expect(await countAccounts()).toBeUndefined();
  });

  test('into a database with rows', async () => {
    createData();
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    await expectFailure(/the database is not empty: the table plans has rows/);
    expect(await countAccounts()).toBe(3);
  });

  test('into a database that a node is using', async () => {
    createData();
    const node = new Bun.SQL(address.url, { max: 1, connection: { application_name: 'postern' } });
    await node`SELECT 1`;
    await expectFailure(/a node or a command is using the database/);
    await node.close();
    expect(await countAccounts()).toBe(0);
  });

  test('if a text contains U+0000, which PostgreSQL cannot store', async () => {
    createData();
    const main = openMain(cli.dataDir).raw;
    main.run('UPDATE audit SET subject = ? WHERE id = 3', ['a\0b']);
    main.close();
    const result = await cli.run(`move --to ${address.url}`);
    expect(result.code).toBe(1);
    expect(result.err).toMatch(/the column subject of the table audit contains the character U\+0000/);
    expect(await countAccounts()).toBe(0);
  });

  test('with an incorrect password', async () => {
    createData();
    const result = await cli.run(`move --to ${address.publicUrl}`);
    expect(result.code).toBe(1);
    expect(result.err).toMatch(/the data was not copied: .*password/i);
  });

  test('into a folder that is not empty, or that an interrupted move left', async () => {
    const settings = { POSTERN_DATABASE_URL: address.url };
    const folder = join(cli.folder, 'back');
    mkdirSync(folder);
    writeFileSync(join(folder, 'file'), '');
    expect((await cli.run(`move --to ${folder}`, { settings })).err).toMatch(/back is not empty/);
    mkdirSync(join(cli.folder, 'other.partial'));
    const other = await cli.run(`move --to ${join(cli.folder, 'other')}`, { settings });
    expect(other.err).toMatch(/other\.partial remains from an interrupted move/);
    expect(existsSync(join(cli.folder, 'other'))).toBe(false);
  });
});

describe('the arguments are rejected with exit code 2', () => {
  test.each([
    ['move', /--to is missing/],
    ['move --to postgres://host', /--to is not a valid database URL/],
    ['move --to folder', /POSTERN_DATABASE_URL is not set/],
    ['move --to folder --password-file f', /--password-file and --ca-file require the URL of a database/],
  ])('%s', async (command, message) => {
    expect(await cli.run(command)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  });

  test('for a move to PostgreSQL while POSTERN_DATABASE_URL is set', async () => {
    const settings = { POSTERN_DATABASE_URL: address.url };
    const result = await cli.run(`move --to ${address.url}`, { settings });
    expect(result).toMatchObject({ code: 2, err: expect.stringMatching(/POSTERN_DATABASE_URL is set/) });
  });
});
