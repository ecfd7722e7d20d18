import { describe, expect, test } from 'bun:test';
import type { Awaitable } from '../../src/lib/awaitable.ts';
import { HOUR, type Instant, later, SECOND } from '../../src/lib/time.ts';
import type { AttemptLimit, AttemptStore } from '../../src/model/ports/session.ts';

const START = Date.UTC(2026, 0, 31) as Instant;
const rule = { name: 'test', free: 2, first: SECOND, longest: 10 * SECOND };
const laxRule = { name: 'lax', free: 20, first: SECOND, longest: 10 * SECOND };

const limit = (keyHash: string): AttemptLimit => ({ rule, keyHash });
const [A, B] = [[limit('a')], [limit('b')]];

/** Counts attempts, each when the delay of the one before has ended. @returns when the last one was counted */
async function fail(store: AttemptStore, limits: readonly AttemptLimit[], times: number, from: Instant) {
  let now = from;
  for (let n = 0; n < times; n++) {
    now = later(now, await store.delay(limits, now));
    expect(await store.begin(limits, now)).toBe(0);
  }
  return now;
}

/** The contract of AttemptStore. @param open several stores of servers that share their state, at least one */
export function describeAttemptStore(
  name: string,
  open: () => Awaitable<readonly [AttemptStore, ...AttemptStore[]]>,
): void {
  describe(`attempt store (${name})`, () => {
    test('delays further attempts, up to a maximum', async () => {
      const [store] = await open();
      let now = START;
      const delays = [];
      for (let n = 0; n < 8; n++) {
        expect(await store.begin(A, now)).toBe(0);
        delays.push(await store.delay(A, now));
        now = later(now, delays.at(-1) ?? 0);
      }
      expect(delays.map((delay) => delay / SECOND)).toEqual([0, 0, 1, 2, 4, 8, 10, 10]);
    });

    test('does not count an attempt that is delayed', async () => {
      const [store] = await open();
      const now = await fail(store, A, 3, START);
      expect(await store.begin(A, later(now, 400))).toBe(600);
      expect(await store.delay(A, later(now, 999))).toBe(1);
      expect(await store.begin(A, later(now, 1000))).toBe(0);
      expect(await store.delay(A, later(now, 1000))).toBe(2000);
    });

    test('counts keys and rules separately, and returns the longest delay', async () => {
      const [store] = await open();
      const lax = { rule: laxRule, keyHash: 'lax a' };
      await fail(store, [limit('a'), lax], 4, START);
      const now = await fail(store, B, 3, later(START, SECOND));
      expect(await store.delay([lax], now)).toBe(0);
      expect(await store.delay([limit('unknown')], now)).toBe(0);
      expect(await store.delay([], now)).toBe(0);
      expect(await store.delay([lax, limit('b'), limit('a')], now)).toBe(2000);
    });

    test('counts an attempt for none of the keys if one of them is delayed', async () => {
      const [store] = await open();
      const now = await fail(store, A, 3, START);
      for (let n = 0; n < 5; n++) expect(await store.begin([...A, ...B], now)).toBe(1000);
      expect(await store.delay(B, now)).toBe(0);
      expect(await store.begin(B, now)).toBe(0);
      expect(await store.begin(B, now)).toBe(0);
    });

    test('failures expire an hour after the last one', async () => {
      const [store] = await open();
      const now = await fail(store, A, 3, START);
      const end = later(now, HOUR);
      expect(await store.delay(A, end)).toBe(0);
      await fail(store, A, 2, end);
      expect(await store.delay(A, end)).toBe(0);
    });

    test('attempts can be taken back, and failures cleared', async () => {
      const [store] = await open();
      const now = await fail(store, [...A, ...B], 3, START);
      await store.takeBack(A);
      expect(await store.delay(A, now)).toBe(0);
      expect(await store.begin(A, now)).toBe(0);
      expect(await store.delay(A, now)).toBe(1000);
      await store.clear(A);
      expect(await store.delay(A, now)).toBe(0);
      expect(await store.delay(B, now)).toBe(1000);
      await store.takeBack([limit('unknown')]);
      expect(await store.begin([limit('unknown')], now)).toBe(0);
    });

    test('a key whose attempts were all taken back has no failures', async () => {
      const [store] = await open();
      await store.begin(A, START);
      for (let n = 0; n < 3; n++) await store.takeBack(A);
      await fail(store, A, 2, START);
      expect(await store.delay(A, START)).toBe(0);
      await fail(store, A, 1, START);
      expect(await store.delay(A, START)).toBe(1000);
    });

    test.each([SECOND, HOUR, 30 * HOUR])(
      'a delay ends on time if the clock is set back by %d ms',
      async (setBack) => {
        const [store] = await open();
        const now = later(await fail(store, A, 3, START), -setBack);
        expect(await store.delay(A, now)).toBe(1000);
        const end = later(now, 1000);
        expect(await store.delay(A, end)).toBeLessThanOrEqual(setBack === SECOND ? 1000 : 0);
        expect(await store.delay(A, later(now, setBack + 1000))).toBe(0);
      },
    );

    test('an attempt can begin on time if the clock is set back', async () => {
      const [store] = await open();
      const now = later(await fail(store, A, 3, START), -HOUR);
      expect(await store.begin(A, now)).toBe(1000);
      expect(await store.begin(A, later(now, 1000))).toBe(0);
      expect(await store.delay(A, later(now, 1000))).toBe(2000);
    });

    test('simultaneous attempts on all servers do not exceed the limit', async () => {
      const stores = await open();
      const limits = [limit('a'), { rule: laxRule, keyHash: 'lax' }];
      const orders = [limits, limits.toReversed()];
      const begun = Array.from({ length: 40 }, (_, n) =>
        stores[n % stores.length]?.begin(orders[n % 2] ?? [], START),
      );
      const delays = await Promise.all(begun);
      expect(delays.filter((delay) => delay === 0)).toHaveLength(3);
      expect(new Set(delays)).toEqual(new Set([0, 1000]));
    });

    test('simultaneous failures and successes are all counted', async () => {
      const stores = await open();
      const all = ['a', 'b', 'c', 'd'].map((keyHash) => ({ rule: laxRule, keyHash }));
      await Promise.all(
        Array.from({ length: 15 }, (_, n) => {
          const limits = n % 2 === 0 ? all : all.toReversed();
          return stores[n % stores.length]?.begin(limits, START);
        }),
      );
      await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          stores[n % stores.length]?.takeBack(n % 2 === 0 ? all : all.toReversed()),
        ),
      );
      // 5 failures are left, so 15 more are free.
      await fail(stores[0], all, 15, START);
      expect(await stores[0].delay(all, START)).toBe(0);
      await fail(stores[0], all, 1, START);
      expect(await stores[0].delay(all, START)).toBe(1000);
    });

    test('a purge deletes only expired failures', async () => {
      const [store] = await open();
      await fail(store, A, 3, START);
      const now = await fail(store, B, 3, later(START, HOUR));
      while ((await store.purge(now)) > 0);
      expect(await store.delay(A, now)).toBe(0);
      expect(await store.delay(B, now)).toBe(1000);
    });
  });
}
