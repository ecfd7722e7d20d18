import { describe, expect, test } from 'bun:test';
import { createFairSemaphore, type SemaphoreHolder } from '../../src/lib/fairSemaphore.ts';
import { createRandom } from '../support/random.ts';

/** Requests several permits at once. @returns a function that counts those that were granted so far */
function request(holder: SemaphoreHolder, permits: number): () => number {
  let granted = 0;
  for (let i = 0; i < permits; i++) void holder.acquire().then(() => granted++);
  return () => granted;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a fair semaphore', () => {
  test('grants no more permits than it has', async () => {
    const holder = createFairSemaphore(3)();
    const granted = request(holder, 5);
    await settle();
    expect(granted()).toBe(3);
    holder.release();
    await settle();
    expect(granted()).toBe(4);
  });

  test('prefers the holder with the fewest permits, however many others wait', async () => {
    const newHolder = createFairSemaphore(4);
    const [greedy, modest] = [newHolder(), newHolder()];
    const greedyGranted = request(greedy, 100);
    const modestGranted = request(modest, 2);
    await settle();
    expect([greedyGranted(), modestGranted()]).toEqual([4, 0]);
    greedy.release();
    await settle();
    expect([greedyGranted(), modestGranted()]).toEqual([4, 1]);
    greedy.release();
    await settle();
    expect([greedyGranted(), modestGranted()]).toEqual([4, 2]);
    greedy.release();
    await settle();
    expect([greedyGranted(), modestGranted()]).toEqual([5, 2]);
  });

  test('serves holders with equally many permits in turn', async () => {
    const newHolder = createFairSemaphore(1);
    const holders = [newHolder(), newHolder(), newHolder()];
    const order: number[] = [];
    for (const [index, holder] of holders.entries()) {
      for (let i = 0; i < 2; i++) {
        void holder.acquire().then(async () => {
          order.push(index);
          await settle();
          holder.release();
        });
      }
    }
    for (let i = 0; i < 10; i++) await settle();
    // The first holder waited for its second permit before the others came.
    expect(order).toEqual([0, 0, 1, 2, 1, 2]);
  });

  test('grants permits again after they are released', async () => {
    const newHolder = createFairSemaphore(2);
    const first = newHolder();
    await first.acquire();
    await first.acquire();
    first.release();
    first.release();
    const granted = request(newHolder(), 3);
    await settle();
    expect(granted()).toBe(2);
  });

  test('shares permits by group, and within a group by holder', async () => {
    const newHolder = createFairSemaphore(1);
    const order: string[] = [];
    const first = newHolder('x');
    await first.acquire();
    for (const name of ['aA', 'aA', 'aA', 'aB', 'bA', 'bA']) {
      const holder = newHolder(...name);
      void holder.acquire().then(async () => {
        order.push(name);
        await settle();
        holder.release();
      });
    }
    first.release();
    for (let i = 0; i < 10; i++) await settle();
    expect(order).toEqual(['aA', 'bA', 'aB', 'bA', 'aA', 'aA']);
  });

  test('with a full queue, a request replaces the newest one of the group with the most', async () => {
    const newHolder = createFairSemaphore(1, 3);
    await newHolder('x').acquire();
    const results: string[] = [];
    const ask = (name: string, group: string) =>
      newHolder(group)
        .acquire()
        .then((isGranted) => results.push(`${name} ${isGranted}`));
    for (const name of ['a1', 'a2', 'a3']) void ask(name, 'a');
    expect(newHolder('a').isFull()).toBe(true);
    expect(newHolder('b').isFull()).toBe(false);
    await ask('a4', 'a');
    void ask('b1', 'b');
    await settle();
    // Now b has one request and a has two, so a further request of b would only swap them.
    await ask('b2', 'b');
    expect(results).toEqual(['a4 false', 'a3 false', 'b2 false']);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'settles every request and returns every permit, whatever the order (seed %i)',
    async (seed) => {
      const pick = createRandom(seed);
      const isHeads = () => pick(2) === 0;
      const [permits, places] = [1 + pick(3), pick(6)];
      const newHolder = createFairSemaphore(permits, places);
      const kept = Array.from({ length: 4 }, (_, i) => newHolder(`${i % 2}`, 'kept'));
      const running: (() => void)[] = [];
      const settled = { granted: 0, rejected: 0 };
      let asked = 0;
      const ask = () => {
        asked++;
        const holder = isHeads() ? newHolder(`${pick(3)}`, `${pick(2)}`) : kept[pick(kept.length)];
        void holder?.acquire().then((isGranted) => {
          settled[isGranted ? 'granted' : 'rejected']++;
          if (isGranted) running.push(holder.release);
        });
      };
      for (let step = 0; step < 500; step++) {
        if (pick(9) < 5) ask();
        else running.splice(pick(running.length), 1)[0]?.();
        if (isHeads()) await settle();
        expect(running.length).toBeLessThanOrEqual(permits);
        // No permit is free while a request waits.
        await settle();
        const waiting = asked - settled.granted - settled.rejected;
        expect(waiting).toBeLessThanOrEqual(places);
        if (waiting > 0) expect(running).toHaveLength(permits);
      }
      while (running.length > 0) {
        running.shift()?.();
        await settle();
      }
      expect(settled.granted + settled.rejected).toBe(asked);
    },
  );
});
