import { describe, expect, test } from 'bun:test';
import { createArena } from '../../src/lib/sharedMemory.ts';
import { createGeneration, createReadCache, readCounters } from '../../src/storage/readCache.ts';

type Value = { readonly version: number };

/** A cache of a table; `loaded` lists the keys that were loaded. */
function open(capacity = 10) {
  const table = new Map<string, Value>();
  const loaded: string[] = [];
  const stale: unknown[] = [];
  const state = { failure: undefined as Error | undefined };
  const cached = createReadCache<string, Value>({
    load(key) {
      loaded.push(key);
      if (state.failure !== undefined) throw state.failure;
      return table.get(key);
    },
    capacity,
    missingCapacity: capacity,
    onStale: (error) => stale.push(error),
  });
  // `load` returns no promise here, so `get` returns none either.
  const get = (key: string) => cached.get(key) as Value | undefined;
  return { table, loaded, stale, state, get, invalidate: cached.invalidate, read: cached.read };
}

/** A cache whose loads end when the test resolves them. */
function openAsync(capacity = 10) {
  const waiting: PromiseWithResolvers<Value | undefined>[] = [];
  const stale: unknown[] = [];
  const cached = createReadCache<string, Value>({
    load() {
      const load = Promise.withResolvers<Value | undefined>();
      waiting.push(load);
      return load.promise;
    },
    capacity,
    missingCapacity: capacity,
    onStale: (error) => stale.push(error),
  });
  return { waiting, stale, cached };
}

describe('a value', () => {
  test('is loaded once, and then returned without a promise', () => {
    const { table, loaded, get } = open();
    table.set('a', { version: 1 });
    expect(get('a')).toEqual({ version: 1 });
    table.set('a', { version: 2 });
    expect(get('a')).toEqual({ version: 1 });
    expect(loaded).toEqual(['a']);
  });

  test('is loaded once more after an invalidation', () => {
    const { table, loaded, get, invalidate } = open();
    table.set('a', { version: 1 });
    get('a');
    table.set('a', { version: 2 });
    invalidate();
    expect(get('a')).toEqual({ version: 2 });
    expect(get('a')).toEqual({ version: 2 });
    expect(loaded).toEqual(['a', 'a']);
  });

  test('that was deleted is not returned after an invalidation', () => {
    const { table, loaded, get, invalidate } = open();
    table.set('a', { version: 1 });
    get('a');
    table.delete('a');
    invalidate();
    expect(get('a')).toBeUndefined();
    expect(get('a')).toBeUndefined();
    expect(loaded).toEqual(['a', 'a']);
  });

  test('is evicted when the cache is full', () => {
    const { table, loaded, get } = open(2);
    for (const key of ['a', 'b', 'c']) table.set(key, { version: 1 });
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) get(key);
    expect(loaded).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('a missing value', () => {
  test('is cached as missing until an invalidation', () => {
    const { table, loaded, get, invalidate } = open();
    expect(get('a')).toBeUndefined();
    table.set('a', { version: 1 });
    expect(get('a')).toBeUndefined();
    expect(loaded).toEqual(['a']);
    invalidate();
    expect(get('a')).toEqual({ version: 1 });
  });

  test('is cached with a limit, and never evicts values', () => {
    const { table, loaded, get } = open(2);
    table.set('a', { version: 1 });
    get('a');
    for (let i = 0; i < 100; i++) get(`unknown ${i}`);
    get('a');
    expect(loaded.filter((key) => key === 'a')).toHaveLength(1);
    get('unknown 99');
    get('unknown 0');
    expect(loaded.slice(101)).toEqual(['unknown 0']);
  });
});

describe('if loading fails', () => {
  test('the old value is returned until loading works again, and the failure is reported', () => {
    const { table, state, stale, get, invalidate } = open();
    table.set('a', { version: 1 });
    get('a');
    invalidate();
    state.failure = new Error('disk');
    expect(get('a')).toEqual({ version: 1 });
    expect(get('a')).toEqual({ version: 1 });
    expect(stale).toEqual([state.failure, state.failure]);
    state.failure = undefined;
    table.set('a', { version: 2 });
    expect(get('a')).toEqual({ version: 2 });
  });

  test('a cached value is returned without loading', () => {
    const { table, state, stale, get } = open();
    table.set('a', { version: 1 });
    get('a');
    state.failure = new Error('disk');
    expect(get('a')).toEqual({ version: 1 });
    expect(stale).toEqual([]);
  });

  test('`get` throws for keys without an old value', () => {
    const { state, get, invalidate } = open();
    get('missing');
    invalidate();
    state.failure = new Error('disk');
    expect(() => get('never')).toThrow('disk');
    expect(() => get('missing')).toThrow('disk');
  });

  test('an asynchronous failure has the same result', async () => {
    const { waiting, stale, cached } = openAsync();
    const first = cached.get('a');
    waiting[0]?.reject(new Error('disk'));
    await expect(first).rejects.toThrow('disk');
    const second = cached.get('a');
    waiting[1]?.resolve({ version: 1 });
    await second;
    cached.invalidate();
    const third = cached.get('a');
    waiting[2]?.reject(new Error('disk'));
    expect(await third).toEqual({ version: 1 });
    expect(stale).toHaveLength(1);
  });
});

describe('an asynchronous result', () => {
  test('is cached', async () => {
    const { waiting, cached } = openAsync();
    const loaded = cached.get('a');
    waiting[0]?.resolve({ version: 1 });
    expect(await loaded).toEqual({ version: 1 });
    expect(cached.get('a')).toEqual({ version: 1 });
  });

  test('is outdated if the cache was invalidated in the meantime', async () => {
    const { waiting, cached } = openAsync();
    const loaded = cached.get('a');
    cached.invalidate();
    waiting[0]?.resolve({ version: 1 });
    expect(await loaded).toEqual({ version: 1 });
    const again = cached.get('a');
    waiting[1]?.resolve({ version: 2 });
    expect(await again).toEqual({ version: 2 });
    expect(waiting).toHaveLength(2);
  });

  test('that is undefined is outdated in the same way', async () => {
    const { waiting, cached } = openAsync();
    const loaded = cached.get('a');
    cached.invalidate();
    waiting[0]?.resolve(undefined);
    expect(await loaded).toBeUndefined();
    const again = cached.get('a');
    waiting[1]?.resolve({ version: 1 });
    expect(await again).toEqual({ version: 1 });
  });

  test('does not replace a newer one', async () => {
    // A slow read from before a revocation must not make the key valid again.
    const { waiting, cached } = openAsync();
    const older = cached.get('a');
    cached.invalidate();
    const newer = cached.get('a');
    waiting[1]?.resolve(undefined);
    await newer;
    waiting[0]?.resolve({ version: 1 });
    await older;
    const last = cached.get('a');
    waiting[2]?.resolve(undefined);
    expect(await last).toBeUndefined();
  });

  test('does not replace a newer one as the fallback for failures', async () => {
    const { waiting, cached } = openAsync();
    const older = cached.get('a');
    cached.invalidate();
    const newer = cached.get('a');
    waiting[1]?.resolve({ version: 2 });
    await newer;
    waiting[0]?.resolve({ version: 1 });
    await older;
    cached.invalidate();
    const last = cached.get('a');
    waiting[2]?.reject(new Error('disk'));
    expect(await last).toEqual({ version: 2 });
  });

  test('does not restore a deleted value, not even as the fallback for failures', async () => {
    const { waiting, cached } = openAsync();
    const older = cached.get('a');
    cached.invalidate();
    const newer = cached.get('a');
    waiting[1]?.resolve(undefined);
    await newer;
    waiting[0]?.resolve({ version: 1 });
    await older;
    cached.invalidate();
    const last = cached.get('a');
    waiting[2]?.reject(new Error('disk'));
    await expect(last).rejects.toThrow('disk');
  });
});

test('the lookups that each cache answered are counted', () => {
  const { table, get, invalidate, read } = open(5);
  table.set('a', { version: 1 });
  for (const key of ['a', 'a', 'none', 'none', 'none']) get(key);
  expect(read()).toEqual({
    values: { entries: 1, capacity: 5, lookups: { hits: 1, misses: 4 } },
    missing: { entries: 1, capacity: 5, lookups: { hits: 2, misses: 2 } },
  });
  invalidate();
  get('a');
  expect(read().values.lookups).toEqual({ hits: 1, misses: 5 });
});

test('caches with the same generation are invalidated together, and another thread can read their counters', () => {
  const generation = createGeneration();
  const memory = new Float64Array(new SharedArrayBuffer(10 * Float64Array.BYTES_PER_ELEMENT));
  const capacities = { capacity: 10, missingCapacity: 20 };
  let loads = 0;
  const load = (key: string) => {
    loads++;
    return key === 'unknown' ? undefined : { key };
  };
  const arena = createArena(memory);
  const caches = [1, 2].map(() => createReadCache({ load, ...capacities, generation, arena }));
  const readAll = () => {
    for (const { get } of caches) for (const key of ['known', 'unknown']) void get(key);
  };
  readAll();
  readAll();
  expect(loads).toBe(4);
  caches[0]?.invalidate();
  readAll();
  expect(loads).toBe(8);
  const others = createArena(memory);
  const readings = [readCounters(others, capacities)(), readCounters(others, capacities)()];
  expect(readings).toEqual(caches.map(({ read }) => read()));
  expect(readings[0]).toEqual({
    values: { entries: 1, capacity: 10, lookups: { hits: 1, misses: 5 } },
    missing: { entries: 1, capacity: 20, lookups: { hits: 1, misses: 4 } },
  });
});
