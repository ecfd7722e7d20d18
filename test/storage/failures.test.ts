import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import { createRawStores, createSqliteStores } from '../../src/storage/sqlite/createStores.ts';
import { reportFailures } from '../../src/storage/sqlite/failures.ts';
import { MAIN_FILE, type MainDatabase, openMain } from '../../src/storage/sqlite/open.ts';
import { AMPLE, addAccount, now, type World } from '../contract/world.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

let folder: string;
let database: MainDatabase;
let world: World;

beforeEach(() => {
  folder = makeFolder();
  database = openMain(folder);
  world = createSqliteStores(database, AMPLE);
});
afterEach(() => database.raw.close());

/** Resolves to the value or the error. Used instead of `expect().rejects`, which stops timers. */
const endingOf = (work: Promise<unknown>) =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

describe('while another process writes', () => {
  test('a claim takes no lock if no task is waiting', async () => {
    const other = new Database(join(folder, MAIN_FILE));
    other.run('BEGIN IMMEDIATE');
    // It failed after five seconds, so the server reported failures during long imports by commands.
    const claim = createRawStores(database, AMPLE).tasks.claim({ token: 'a', until: now }, now);
    expect(await endingOf(claim)).toEqual({ value: undefined });
    other.close();
  });

  test('a write waits without blocking other events', async () => {
    const owner = await addAccount(world);
    const other = new Database(join(folder, MAIN_FILE));
    other.run('BEGIN IMMEDIATE');
    let isDone = false;
    const create = world.organizations.create({ name: 'Acme', ownerId: owner.id }, now).finally(() => {
      isDone = true;
    });
    let iterations = 0;
    const timer = setInterval(() => iterations++, 1);
    // If SQLite itself waited, it would block the thread until it gives up.
    await waitUntil('other events happen', () => iterations > 20);
    expect(isDone).toBe(false);
    other.run('COMMIT');
    other.close();
    expect(await create).toMatchObject({ ok: true });
    clearInterval(timer);
    expect(await world.organizations.list(owner.id)).toHaveLength(1);
  });
});

describe('a storage', () => {
  test('that is full reports a storage failure and changes nothing', async () => {
    const owner = await addAccount(world);
    database.raw.run(`PRAGMA max_page_count = ${pagesOf(database)}`);
    const ended = await endingOf(fillUp(owner.id));
    const { error } = ended as { error: Error };
    expect(error).toBeInstanceOf(StoreFailure);
    expect(error.message).toMatch(/^SQLITE_FULL: /);
    const before = await world.organizations.list();
    database.raw.run('PRAGMA max_page_count = 1000000');
    expect(await world.organizations.list()).toEqual(before);
  });

  test('that is read-only reports a storage failure, also if it is only probed', async () => {
    database.raw.run('PRAGMA query_only = ON');
    expect(await endingOf(world.installation.probe())).toMatchObject({ error: expect.any(StoreFailure) });
    database.raw.run('PRAGMA query_only = OFF');
    expect(await endingOf(world.installation.probe())).toEqual({ value: undefined });
  });

  test('does not report errors of the program as storage failures', async () => {
    const failing = reportFailures(() => {
      throw new TypeError('a bug');
    });
    expect(failing).toThrow(TypeError);
    for (const statement of ['SELECT nothing FROM nowhere', 'INSERT INTO plans VALUES (NULL, 1, 1)']) {
      const rejecting = reportFailures(async () => database.raw.run(statement));
      const { error } = (await endingOf(Promise.resolve(rejecting()))) as { error: unknown };
      expect(error).toBeInstanceOf(Error);
      expect(error).not.toBeInstanceOf(StoreFailure);
    }
  });
});

function pagesOf({ raw }: MainDatabase): number {
  return raw.query<{ page_count: number }, []>('PRAGMA page_count').get()?.page_count ?? 0;
}

/** Creates organizations until the database is full. */
async function fillUp(ownerId: Parameters<World['organizations']['create']>[0]['ownerId']): Promise<void> {
  for (let i = 0; i < 500; i++) {
    await world.organizations.create({ name: `${i} ${'x'.repeat(120)}`, ownerId }, now);
  }
}
