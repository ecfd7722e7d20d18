import { expect, test } from 'bun:test';
import { METHODS, mapMethods, reportInvalidations } from '../../src/storage/methods.ts';
import { createRawStores } from '../../src/storage/sqlite/createStores.ts';
import { openMain } from '../../src/storage/sqlite/open.ts';
import type { Stores } from '../../src/storage/storage.ts';
import { AMPLE, now } from '../contract/world.ts';
import { useFolders } from './folder.ts';

const createFolder = useFolders();

function open(): { readonly stores: Stores; readonly close: () => void } {
  const database = openMain(createFolder());
  return { stores: createRawStores(database, AMPLE), close: () => database.raw.close() };
}

test('every method of every store has a kind', () => {
  const { stores, close } = open();
  const names = (value: object) => Object.keys(value).toSorted();
  expect(names(stores)).toEqual(names(METHODS));
  const listed = (store: keyof Stores) => Object.values(METHODS[store]).flat().toSorted();
  for (const store of Object.keys(METHODS) as (keyof Stores)[]) {
    expect([store, names(stores[store])]).toEqual([store, listed(store)]);
  }
  close();
});

test('a method without a kind is rejected', () => {
  const { stores, close } = open();
  const extended = { ...stores, plans: { ...stores.plans, rename: () => {} } };
  expect(() => mapMethods(extended, ({ method }) => method)).toThrow('the method plans.rename has no kind');
  close();
});

/** Stores that record their calls. */
function openRecorded() {
  const { stores, close } = open();
  const events: string[] = [];
  const recorded = mapMethods(stores, ({ name, method }) => async (...args) => {
    events.push(name);
    return method(...args);
  });
  return { events, stores: reportInvalidations(recorded, () => events.push('invalidated')), close };
}

const key = {
  fingerprint: new Uint8Array(4),
  secret: new Uint8Array(32),
  createdAt: now,
};

test('a write that outdates caches is reported before its caller continues', async () => {
  const { events, stores, close } = openRecorded();
  await stores.signingKeys.add(key).then(() => events.push('returned'));
  expect(events).toEqual(['add', 'invalidated', 'returned']);
  close();
});

test('a write that fails is reported too', async () => {
  const { events, stores, close } = openRecorded();
  await stores.signingKeys.add(key);
  const error = await stores.signingKeys.add(key).catch((reason: unknown) => reason);
  expect(String(error)).toContain('UNIQUE');
  expect(events).toEqual(['add', 'invalidated', 'add', 'invalidated']);
  close();
});

test('reads and writes that no cache depends on are not reported', async () => {
  const { events, stores, close } = openRecorded();
  await stores.signingKeys.list();
  await stores.plans.set({ name: 'gold', organizations: 1, properties: 1 });
  expect(events).toEqual(['list', 'set']);
  close();
});
