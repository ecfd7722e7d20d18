import { expect, test } from 'bun:test';
import { createStoreMeter } from '../../src/server/storeMeter.ts';
import { METHODS } from '../../src/storage/methods.ts';
import type { Stores } from '../../src/storage/storage.ts';

/** Stores in which one method is replaced. */
function storesWith(store: keyof Stores, name: string, method: () => unknown): Stores {
  const stores = Object.keys(METHODS).map((key) => [key, key === store ? { [name]: method } : {}]);
  // The test calls only this method.
  return Object.fromEntries(stores) as Stores;
}

function openMeter(store: keyof Stores, name: string, method: () => unknown) {
  const clock = { now: 0 };
  const slow: unknown[] = [];
  const meter = createStoreMeter(() => clock.now);
  const stores = meter.measure(storesWith(store, name, method), (call, milliseconds) =>
    slow.push([call.store, call.name, milliseconds]),
  );
  const count = (kind: 'read' | 'write') => Array.from(meter.seconds().get(kind)?.counts ?? []);
  const total = (kind: 'read' | 'write') => count(kind).reduce((sum, one) => sum + one, 0);
  return { clock, slow, meter, stores, total };
}

test('calls are counted while they run, and measured by kind when they end', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { clock, slow, meter, stores, total } = openMeter('plans', 'list', () => promise);
  const call = stores.plans.list();
  expect(Object.fromEntries(meter.running())).toEqual({ read: 1, write: 0 });
  expect([total('read'), total('write')]).toEqual([0, 0]);
  clock.now = 700;
  resolve(7);
  expect((await call) as unknown).toBe(7);
  expect(Object.fromEntries(meter.running())).toEqual({ read: 0, write: 0 });
  expect([total('read'), total('write')]).toEqual([1, 0]);
  expect(meter.seconds().get('read')?.sum).toBe(0.7);
  expect(slow).toEqual([]);
});

test('calls that fail are measured too, and a result that needs no promise stays one', async () => {
  const failing = openMeter('audit', 'append', async () => {
    throw new Error('no disk');
  });
  const failure = (failing.stores.audit.append as () => Promise<unknown>)();
  expect(
    await failure.then(
      () => 'done',
      (error) => error.message,
    ),
  ).toBe('no disk');
  expect(failing.total('write')).toBe(1);
  expect(failing.meter.running().get('write')).toBe(0);
  const throwing = openMeter('audit', 'append', () => {
    throw new Error('no file');
  });
  expect(throwing.stores.audit.append as () => unknown).toThrow('no file');
  expect(throwing.meter.running().get('write')).toBe(0);
  const present = openMeter('properties', 'bySitekey', () => undefined);
  expect((present.stores.properties.bySitekey as () => unknown)()).toBeUndefined();
  expect(present.total('read')).toBe(1);
});

test.each([
  ['statistics', 'rollUp', [['statistics', 'rollUp', 1001]]],
  ['exports', 'read', []],
] as const)('a call of %s.%s that takes longer than a second', async (store, name, expected) => {
  const { clock, slow, stores } = openMeter(store, name, async () => {
    clock.now += 1001;
  });
  await (stores[store] as unknown as Record<string, () => unknown>)[name]?.();
  expect(slow).toEqual([...expected]);
});
