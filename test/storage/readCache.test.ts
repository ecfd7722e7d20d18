import { describe, expect, test } from 'bun:test';
import { createReadCache } from '../../src/storage/readCache.ts';

type Value = { readonly version: number };

/** A cache over a table in hand; `asked` lists what went through to it. */
function open(capacity = 10) {
  const table = new Map<string, Value>();
  const asked: string[] = [];
  const stale: unknown[] = [];
  const state = { failure: undefined as Error | undefined };
  const cached = createReadCache<string, Value>({
    load(key) {
      asked.push(key);
      if (state.failure !== undefined) throw state.failure;
      return table.get(key);
    },
    capacity,
    missingCapacity: capacity,
    onStale: (error) => stale.push(error),
  });
  // What is loaded without a promise is given without one.
  const get = (key: string) => cached.get(key) as Value | undefined;
  return { table, asked, stale, state, get, invalidate: cached.invalidate };
}

/** A cache whose answers come when the test says so. */
function openLate(capacity = 10) {
  const waiting: PromiseWithResolvers<Value | undefined>[] = [];
  const stale: unknown[] = [];
  const cached = createReadCache<string, Value>({
    load() {
      const late = Promise.withResolvers<Value | undefined>();
      waiting.push(late);
      return late.promise;
    },
    capacity,
    missingCapacity: capacity,
    onStale: (error) => stale.push(error),
  });
  return { waiting, stale, cached };
}

describe('what is there', () => {
  test('is asked for once, and then given without a promise', () => {
    const { table, asked, get } = open();
    table.set('a', { version: 1 });
    expect(get('a')).toEqual({ version: 1 });
    table.set('a', { version: 2 });
    expect(get('a')).toEqual({ version: 1 });
    expect(asked).toEqual(['a']);
  });

  test('is asked for again after everything expired, once', () => {
    const { table, asked, get, invalidate } = open();
    table.set('a', { version: 1 });
    get('a');
    table.set('a', { version: 2 });
    invalidate();
    expect(get('a')).toEqual({ version: 2 });
    expect(get('a')).toEqual({ version: 2 });
    expect(asked).toEqual(['a', 'a']);
  });

  test('and then is no more, is not given after it expired', () => {
    const { table, asked, get, invalidate } = open();
    table.set('a', { version: 1 });
    get('a');
    table.delete('a');
    invalidate();
    expect(get('a')).toBeUndefined();
    expect(get('a')).toBeUndefined();
    expect(asked).toEqual(['a', 'a']);
  });

  test('is forgotten when there is more than fits', () => {
    const { table, asked, get } = open(2);
    for (const key of ['a', 'b', 'c']) table.set(key, { version: 1 });
    for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) get(key);
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
  });
});

describe('what is missing', () => {
  test('is remembered as missing until everything expires', () => {
    const { table, asked, get, invalidate } = open();
    expect(get('a')).toBeUndefined();
    table.set('a', { version: 1 });
    expect(get('a')).toBeUndefined();
    expect(asked).toEqual(['a']);
    invalidate();
    expect(get('a')).toEqual({ version: 1 });
  });

  test('is remembered within bounds, and never drives out what is there', () => {
    const { table, asked, get } = open(2);
    table.set('a', { version: 1 });
    get('a');
    for (let i = 0; i < 100; i++) get(`unknown ${i}`);
    get('a');
    expect(asked.filter((key) => key === 'a')).toHaveLength(1);
    get('unknown 99');
    get('unknown 0');
    expect(asked.slice(101)).toEqual(['unknown 0']);
  });
});

describe('when asking fails', () => {
  test('what was known before is given, as long as it takes, and somebody is told', () => {
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

  test('what is in memory and not expired is given without asking', () => {
    const { table, state, stale, get } = open();
    table.set('a', { version: 1 });
    get('a');
    state.failure = new Error('disk');
    expect(get('a')).toEqual({ version: 1 });
    expect(stale).toEqual([]);
  });

  test('what was never known, or known to be missing, is a failure', () => {
    const { state, get, invalidate } = open();
    get('missing');
    invalidate();
    state.failure = new Error('disk');
    expect(() => get('never')).toThrow('disk');
    expect(() => get('missing')).toThrow('disk');
  });

  test('a failure that comes late ends the same', async () => {
    const { waiting, stale, cached } = openLate();
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

describe('an answer that is late', () => {
  test('is kept once it is there', async () => {
    const { waiting, cached } = openLate();
    const asked = cached.get('a');
    waiting[0]?.resolve({ version: 1 });
    expect(await asked).toEqual({ version: 1 });
    expect(cached.get('a')).toEqual({ version: 1 });
  });

  test('is old at once where everything expired meanwhile', async () => {
    const { waiting, cached } = openLate();
    const asked = cached.get('a');
    cached.invalidate();
    waiting[0]?.resolve({ version: 1 });
    expect(await asked).toEqual({ version: 1 });
    const again = cached.get('a');
    waiting[1]?.resolve({ version: 2 });
    expect(await again).toEqual({ version: 2 });
    expect(waiting).toHaveLength(2);
  });

  test('that there is nothing, is old at once too', async () => {
    const { waiting, cached } = openLate();
    const asked = cached.get('a');
    cached.invalidate();
    waiting[0]?.resolve(undefined);
    expect(await asked).toBeUndefined();
    const again = cached.get('a');
    waiting[1]?.resolve({ version: 1 });
    expect(await again).toEqual({ version: 1 });
  });

  test('does not take the place of a newer one', async () => {
    // A revoked key must not come back because an old read was slow.
    const { waiting, cached } = openLate();
    const old = cached.get('a');
    cached.invalidate();
    const fresh = cached.get('a');
    waiting[1]?.resolve(undefined);
    await fresh;
    waiting[0]?.resolve({ version: 1 });
    await old;
    const last = cached.get('a');
    waiting[2]?.resolve(undefined);
    expect(await last).toBeUndefined();
  });

  test('does not become what is given while asking fails, where a newer one was known', async () => {
    const { waiting, cached } = openLate();
    const old = cached.get('a');
    cached.invalidate();
    const fresh = cached.get('a');
    waiting[1]?.resolve({ version: 2 });
    await fresh;
    waiting[0]?.resolve({ version: 1 });
    await old;
    cached.invalidate();
    const last = cached.get('a');
    waiting[2]?.reject(new Error('disk'));
    expect(await last).toEqual({ version: 2 });
  });

  test('does not bring back what is known to be gone, not even as a fallback', async () => {
    const { waiting, cached } = openLate();
    const old = cached.get('a');
    cached.invalidate();
    const fresh = cached.get('a');
    waiting[1]?.resolve(undefined);
    await fresh;
    waiting[0]?.resolve({ version: 1 });
    await old;
    cached.invalidate();
    const last = cached.get('a');
    waiting[2]?.reject(new Error('disk'));
    await expect(last).rejects.toThrow('disk');
  });
});
