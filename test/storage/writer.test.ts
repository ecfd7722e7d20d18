import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import { MAIN_FILE, type MainDatabase, openMain } from '../../src/storage/sqlite/open.ts';
import { openThreadedStores, type ThreadedStores } from '../../src/storage/sqlite/writer/writer.ts';
import { AMPLE, addAccount, now } from '../contract/world.ts';
import { createFaultyWriter, type FaultyWriter } from '../support/faultyWriter.ts';
import { useFolders } from './folder.ts';

const makeFolder = useFolders();

let dataDir: string;
let database: MainDatabase;
let faultyWriter: FaultyWriter;
let opened: ThreadedStores;
let events: string[];

beforeEach(() => {
  dataDir = makeFolder();
  events = [];
  database = openMain(dataDir);
  faultyWriter = createFaultyWriter();
  opened = openThreadedStores(database, {
    dataDir,
    defaults: AMPLE,
    start: faultyWriter.startWriter,
    onThread: (event) => events.push(event),
  });
});
afterEach(async () => {
  await opened.close();
  database.raw.close();
});

const plan = (name: string) => ({ name, organizations: 1, properties: 1 });
const names = async () => (await opened.stores.plans.list()).map(({ name }) => name);

describe('the writer thread', () => {
  test('commits calls that arrive together in few transactions', async () => {
    const account = await addAccount(opened.stores);
    const walBytes = () => statSync(join(dataDir, `${MAIN_FILE}-wal`)).size;
    const before = walBytes();
    const create = (_: unknown, i: number) =>
      opened.stores.organizations.create({ name: `Organization ${i}`, ownerId: account.id }, now);
    const created = await Promise.all(Array.from({ length: 200 }, create));
    expect(created.every(({ ok }) => ok)).toBe(true);
    expect(await opened.stores.organizations.list(account.id)).toHaveLength(200);
    // A commit writes at least one page of 4,096 bytes, and a page that is written twice in a group is in it once.
    expect(walBytes() - before).toBeLessThan(200 * 4096);
  });

  test('answers each call with its own result after a call whose arguments cannot be sent', async () => {
    const invalid = { ...plan('invalid'), later: () => {} };
    const failed = await opened.stores.plans.set(invalid).catch((error: Error) => error.name);
    expect(failed).toBe('DataCloneError');
    const account = await addAccount(opened.stores);
    expect((await opened.stores.accounts.byId(account.id))?.id).toBe(account.id);
    expect(await names()).not.toContain('invalid');
  });

  test('is replaced after it ended; unanswered calls fail with a storage failure', async () => {
    await opened.stores.plans.set(plan('first'));
    const written = opened.stores.plans.set(plan('lost')).then(
      () => 'written',
      (error: unknown) => error,
    );
    faultyWriter.terminate();
    const ending = await written;
    if (ending !== 'written') expect(ending).toBeInstanceOf(StoreFailure);
    // Reads need no thread.
    expect(await names()).toContain('first');
    for (;;) {
      const isWritten = await opened.stores.plans.set(plan('second')).then(
        () => true,
        () => false,
      );
      if (isWritten) break;
      await Bun.sleep(20);
    }
    expect(await names()).toContain('second');
    expect(events).toEqual(['ended', 'replaced']);
  });

  test('passes on the code of an error, so that a full disk is a storage failure', async () => {
    await opened.stores.plans.set(plan('first'));
    faultyWriter.run('PRAGMA query_only = ON');
    const error = await opened.stores.plans.set(plan('second')).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreFailure);
    expect(String(error)).toContain('SQLITE_READONLY');
    faultyWriter.run('PRAGMA query_only = OFF');
    await opened.stores.plans.set(plan('third'));
    expect(await names()).not.toContain('second');
  });

  test('that cannot open the database rejects every call with a storage failure', async () => {
    const broken = openThreadedStores(database, { dataDir: join(dataDir, 'missing'), defaults: AMPLE });
    const errors = await Promise.all(
      ['a', 'b', 'c'].map((name) => broken.stores.plans.set(plan(name)).catch((error: unknown) => error)),
    );
    expect(errors.map((error) => error instanceof StoreFailure)).toEqual([true, true, true]);
    expect(String(errors[0])).toContain('missing');
    await broken.close();
  });

  test('writes everything that was sent before it closes', async () => {
    const written = Array.from({ length: 20 }, (_, i) => opened.stores.plans.set(plan(`plan ${i}`)));
    await opened.close();
    await Promise.all(written);
    expect((await names()).filter((name) => name.startsWith('plan '))).toHaveLength(20);
  });
});
