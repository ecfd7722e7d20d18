import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAIM_TABLES, type Column, MAIN_TABLES, type Table } from '../../src/storage/move/tables.ts';
import { lockFolder } from '../../src/storage/sqlite/dataFolder.ts';
import { openClaims } from '../../src/storage/sqlite/ledger/claims.ts';
import { CLAIMS_FILE, MAIN_FILE, openMain } from '../../src/storage/sqlite/open.ts';
import type { DatabaseAddress } from '../support/postgres.ts';
import { emptyDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { type CommandLine, createCommandLine, PROGRAM } from './commandLine.ts';

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
  main.run("INSERT INTO installation VALUES ('data counter', x'000001ba5b9e6c00')");
  main.close();
  openClaims({ file: join(cli.dataDir, CLAIMS_FILE), durability: 'full' }).close();
  const claims = new Database(join(cli.dataDir, CLAIMS_FILE));
  fill(claims, CLAIM_TABLES);
  claims.run("INSERT INTO lifecycle VALUES (x'00112233445566778899aabbccddeeff', 0)");
  claims.run(`INSERT INTO data_counter VALUES (${0x1ba5b9e6c00}, ${0x1ba5b9e6c00})`);
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
  const described = ['data_counter', 'lifecycle', 'migrations', 'sqlite_sequence'];
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

  // A server rejects the earlier puzzles at its start, but the nodes of a cluster could not know that claims are missing.
  test.each([
    ['missing', ''],
    ['older than the main database', 'UPDATE data_counter SET value = value - 1'],
    ['that of another folder', "UPDATE lifecycle SET id = x'00'"],
  ])('if the claims file is %s', async (_, statement) => {
    createData();
    const file = join(cli.dataDir, CLAIMS_FILE);
    if (statement === '') rmSync(file);
    else {
      const claims = new Database(file);
      claims.run(statement);
      claims.close();
    }
    for (let attempt = 0; attempt < 2; attempt++)
      await expectFailure(/claims are missing in .+; start the server once/);
    expect(await countAccounts()).toBeUndefined();
  });

  test('into a database with rows', async () => {
    createData();
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    rmSync(join(cli.dataDir, 'moved-to'));
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

/** Commands that use the storage, and the server. */
const COMMANDS = [
  'serve',
  'users list',
  'users create --email a@example.com',
  'migrate',
  'keys rotate-signing',
  'doctor',
];

describe('after a move', () => {
  const sqlite = {};
  const postgres = () => ({ POSTERN_DATABASE_URL: address.url });

  async function expectRejection(
    commands: readonly string[],
    settings: Readonly<Record<string, string>>,
    message: RegExp,
  ) {
    for (const command of commands) {
      const { code, out, err } = await cli.spawn(command, { settings: { ...settings, POSTERN_PORT: '0' } });
      expect([command, code, out + err]).toEqual([command, 1, expect.stringMatching(message)]);
      expect(out + err).not.toContain(address.password);
    }
  }

  // Such a folder used to start again, and to accept solutions that the cluster had accepted.
  test('servers and commands reject the old data folder, and name the database, but no password', async () => {
    await cli.json('users create --email owner@example.com');
    expect(await cli.run(`move --to ${address.url}`)).toMatchObject({
      code: 0,
      err: expect.stringContaining('servers that use the data folder no longer start'),
    });
    const message = new RegExp(`was moved to the database ${address.name} on .*set POSTERN_DATABASE_URL`);
    const file = join(cli.folder, 'backup.tar');
    await expectRejection([...COMMANDS, `backup ${file}`, `move --to ${address.url}`], sqlite, message);
    expect(await countAccounts()).toBe(1);
    expect(await cli.json('users list', { settings: postgres() })).toHaveLength(1);
    // The remedy in the message.
    rmSync(join(cli.dataDir, 'moved-to'));
    await cli.json('keys rotate-signing --revoke-old');
  }, 120_000);

  test('servers and commands reject the old database, and name the folder', async () => {
    await cli.json('users create --email owner@example.com');
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    const back = join(cli.folder, 'back');
    const moved = await cli.run(`move --to ${back}`, { settings: postgres() });
    expect(moved).toMatchObject({
      code: 0,
      err: expect.stringContaining('that use the database no longer start'),
    });
    const again = join(cli.folder, 'again');
    const message = new RegExp(`was moved to the folder ${back} on .*set POSTERN_DATA_DIR`);
    await expectRejection([...COMMANDS, `move --to ${again}`], postgres(), message);
    expect(existsSync(again)).toBe(false);
    await cli.json('users list', { settings: { POSTERN_DATA_DIR: back } });
    // A move into the database says that it is not empty.
    const third = await cli.run(`move --to ${address.url}`, { settings: { POSTERN_DATA_DIR: back } });
    expect(third).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the database is not empty: .*was moved/),
    });
    // The remedy in the message.
    const admin = (await sharedPostgres()).connectAdmin(address);
    await admin`DELETE FROM installation WHERE name = 'moved to'`;
    await admin.close();
    await cli.json('keys rotate-signing --revoke-old', { settings: postgres() });
  }, 120_000);

  test('a move back into the same folder and database is possible once they are empty', async () => {
    await cli.json('users create --email owner@example.com');
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    rmSync(cli.dataDir, { recursive: true });
    expect((await cli.run(`move --to ${cli.dataDir}`, { settings: postgres() })).code).toBe(0);
    await cli.json('users list');
    const admin = (await sharedPostgres()).connectAdmin(address);
    await admin`DROP SCHEMA public CASCADE`;
    await admin`CREATE SCHEMA public`;
    await admin`GRANT ALL ON SCHEMA public TO PUBLIC`;
    await admin.close();
    const again = await cli.run(`move --to ${address.url}`);
    expect({ code: again.code, err: again.err }).toMatchObject({ code: 0 });
    expect(await countAccounts()).toBe(1);
  });

  test('a backup can be restored into the old folder, which can then be used', async () => {
    await cli.json('users create --email owner@example.com');
    const backup = join(cli.folder, 'backup.tar');
    await cli.json(`backup ${backup}`);
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    const { code, out } = await cli.run(`restore ${backup} --force --json`);
    expect(code).toBe(0);
    expect(existsSync(join(JSON.parse(out).moved_to, 'moved-to'))).toBe(true);
    await cli.json('users list');
  });
});

test('a move that is killed before its commit leaves a folder that says what to do', async () => {
  await cli.json('users create --email owner@example.com');
  const settings = { POSTERN_DATABASE_URL: address.url };
  await cli.run('migrate', { settings });
  const admin = (await sharedPostgres()).connectAdmin(address);
  await admin.unsafe(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$`);
  await admin.unsafe(`CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait()`);
  const env = { PATH: process.env.PATH ?? '', POSTERN_DATA_DIR: cli.dataDir };
  const child = Bun.spawn([...PROGRAM, 'move', '--to', address.url], {
    env,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const mark = join(cli.dataDir, 'moved-to');
  await waitUntil('the commit begins', () => existsSync(mark));
  child.kill('SIGKILL');
  await child.exited;
  // PostgreSQL may still commit, so the folder must not be used yet.
  expect((await cli.run('users list')).err).toMatch(
    /was moved to .* for example because the move was interrupted/,
  );
  await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'postern move'`;
  await waitUntil('the transaction ends', async () => {
    const found = await admin`SELECT 1 FROM pg_stat_activity WHERE application_name = 'postern move'`;
    return found.length === 0;
  });
  await admin`DROP TRIGGER wait ON accounts`;
  await admin.close();
  expect(await countAccounts()).toBe(0);
  rmSync(mark);
  await cli.json('users list');
  expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
});

describe('a failed move marks nothing', () => {
  test('if the database rejects the data', async () => {
    createData();
    const main = openMain(cli.dataDir).raw;
    main.run('UPDATE audit SET subject = ? WHERE id = 3', ['a\0b']);
    main.close();
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(1);
    expect(existsSync(join(cli.dataDir, 'moved-to'))).toBe(false);
  });

  test('if the database cannot commit', async () => {
    await cli.json('users create --email owner@example.com');
    await cli.run('migrate', { settings: { POSTERN_DATABASE_URL: address.url } });
    const admin = (await sharedPostgres()).connectAdmin(address);
    await admin.unsafe(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space left'; END $$`);
    await admin.unsafe(`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON accounts
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`);
    const failed = await cli.run(`move --to ${address.url}`);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('no space left') });
    expect(existsSync(join(cli.dataDir, 'moved-to'))).toBe(false);
    await cli.json('users list');
    await admin`DROP TRIGGER fail ON accounts`;
    await admin.close();
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    expect(readFileSync(join(cli.dataDir, 'moved-to'), 'utf8')).toStartWith(
      `the database ${address.name} on `,
    );
  });

  test('if the new folder cannot appear', async () => {
    await cli.json('users create --email owner@example.com');
    expect((await cli.run(`move --to ${address.url}`)).code).toBe(0);
    const settings = { POSTERN_DATABASE_URL: address.url };
    const [folder, target] = [join(cli.folder, 'back'), join(cli.folder, 'target')];
    mkdirSync(target);
    // A link to an empty folder cannot be replaced with a folder.
    symlinkSync(target, folder);
    expect(await cli.run(`move --to ${folder}`, { settings })).toMatchObject({
      code: 1,
      err: expect.stringMatching(/the data was not copied: .*ENOTDIR/),
    });
    await cli.json('users list', { settings });
    rmSync(folder);
    expect((await cli.run(`move --to ${folder}`, { settings })).code).toBe(0);
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
