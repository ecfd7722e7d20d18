import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createStoreDatabase } from '../../src/storage/sqlite/executor.ts';
import { MAIN_FILE, type MainDatabase, openMain } from '../../src/storage/sqlite/open.ts';
import { runGroup } from '../../src/storage/sqlite/writer/writeGroup.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

let folder: string;
let database: MainDatabase;

beforeEach(() => {
  folder = makeFolder();
  database = openMain(folder);
  database.raw.run('CREATE TABLE things (name TEXT PRIMARY KEY, filler BLOB)');
});
afterEach(() => database.raw.close());

const things = () =>
  database.raw
    .query<{ name: string }, []>('SELECT name FROM things ORDER BY name')
    .all()
    .map(({ name }) => name);

const add = (name: string, bytes = 0) =>
  database.raw.run('INSERT INTO things VALUES (?, zeroblob(?))', [name, bytes]);

/** Minimal stores. */
const stores = {
  things: {
    add: async (name: string, bytes?: number) => {
      add(name, bytes);
      return `added ${name}`;
    },
    /** Two writes in one step; the second one fails. */
    addTwice: (name: string) =>
      createStoreDatabase(database.raw).transact(async () => {
        add(name);
        add(name);
      }),
    /** Like `collapse`, in a transaction. */
    collapseInside: () => createStoreDatabase(database.raw).transact(() => stores.things.collapse()),
    count: async () => things().length,
    // Rolls back the whole transaction, as SQLite does after some errors.
    collapse: async (): Promise<void> => {
      database.raw.run('ROLLBACK');
      throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' });
    },
  },
};

const call = (method: string, ...args: readonly unknown[]) =>
  ({ kind: 'call', store: 'things', method, args }) as const;
const run = (...calls: ReturnType<typeof call>[]) => runGroup(database, stores, calls);

describe('a group of calls', () => {
  test('is one commit, and returns the results in the order of the calls', async () => {
    const other = new Database(join(folder, MAIN_FILE));
    const version = () =>
      other.query<{ v: number }, []>('SELECT data_version AS v FROM pragma_data_version').get()?.v;
    const before = version() ?? 0;
    expect(await run(call('add', 'a'), call('add', 'b'), call('count'))).toEqual([
      { ok: true, value: 'added a' },
      { ok: true, value: 'added b' },
      { ok: true, value: 2 },
    ]);
    expect(version()).toBe(before + 1);
    other.close();
  });

  test('keeps the changes of the others if one call fails, and none of that call', async () => {
    const results = await run(call('add', 'a'), call('addTwice', 'b'), call('add', 'a'), call('add', 'c'));
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false, true]);
    expect(results[1]).toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
    expect(things()).toEqual(['a', 'c']);
    expect(database.raw.inTransaction).toBe(false);
  });

  // The error of a call in a transaction had no code, so a full disk was not recognized.
  test.each(['collapse', 'collapseInside'])(
    'reports every call that SQLite rolled back as failed, and still runs the remaining calls (%s)',
    async (method) => {
      const results = await run(call('add', 'a'), call(method), call('add', 'c'));
      expect(results).toMatchObject([
        { ok: false, code: 'SQLITE_FULL' },
        { ok: false, code: 'SQLITE_FULL' },
        { ok: true },
      ]);
      expect(things()).toEqual(['c']);
    },
  );

  test('changes nothing on a full disk, and leaves no open transaction', async () => {
    const { page_count } = database.raw.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? {
      page_count: 0,
    };
    database.raw.run(`PRAGMA max_page_count = ${page_count + 2}`);
    const results = await run(call('add', 'a', 200_000), call('add', 'b', 200_000));
    expect(results).toMatchObject([
      { ok: false, code: 'SQLITE_FULL' },
      { ok: false, code: 'SQLITE_FULL' },
    ]);
    expect(things()).toEqual([]);
    expect(database.raw.inTransaction).toBe(false);
  });

  test('fails as a whole while another process writes, so that it can be repeated', async () => {
    const other = new Database(join(folder, MAIN_FILE));
    other.run('BEGIN IMMEDIATE');
    const results = await run(call('add', 'a'), call('add', 'b'));
    expect(results.map((result) => !result.ok && result.code)).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY']);
    other.run('COMMIT');
    other.close();
    expect(await run(call('add', 'a'), call('add', 'b'))).toMatchObject([{ ok: true }, { ok: true }]);
  });

  test('rejects a call of a method that no store has', async () => {
    expect(await run(call('destroy'))).toMatchObject([{ ok: false, name: 'TypeError' }]);
  });
});
