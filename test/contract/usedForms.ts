import { describe, expect, test } from 'bun:test';
import type { Awaitable } from '../../src/lib/awaitable.ts';
import { type Instant, later, MINUTE } from '../../src/lib/time.ts';
import type { UsedFormStore } from '../../src/model/ports/session.ts';

const now = Date.UTC(2026, 0, 31) as Instant;

/** The contract of UsedFormStore. @param open several stores of servers that share their state, at least one */
export function describeUsedFormStore(
  name: string,
  open: () => Awaitable<readonly [UsedFormStore, ...UsedFormStore[]]>,
): void {
  describe(`store of used forms (${name})`, () => {
    test('records each token only once', async () => {
      const [store] = await open();
      expect(await store.use('one', now)).toBe(true);
      expect(await store.use('two', now)).toBe(true);
      expect(await store.use('one', later(now, MINUTE))).toBe(false);
    });

    test('only one of several simultaneous calls on all servers succeeds', async () => {
      const stores = await open();
      for (let round = 0; round < 5; round++) {
        const used = Array.from({ length: 20 }, (_, n) =>
          stores[n % stores.length]?.use(`form ${round}`, now),
        );
        expect((await Promise.all(used)).filter((isFirst) => isFirst === true)).toHaveLength(1);
      }
    });

    test('a purge keeps the tokens that were used since the given time', async () => {
      const [store] = await open();
      await store.use('old', now);
      await store.use('new', later(now, MINUTE));
      while ((await store.purge(later(now, MINUTE))) > 0);
      expect(await store.use('new', later(now, MINUTE))).toBe(false);
    });
  });
}
