import { describe, expect, test } from 'bun:test';
import { createFairSemaphore, type SemaphoreHolder } from '../../src/lib/fairSemaphore.ts';

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
});
