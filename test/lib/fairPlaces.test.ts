import { describe, expect, test } from 'bun:test';
import { createFairPlaces, type Taker } from '../../src/lib/fairPlaces.ts';

/** Asks for so many places at once. @returns how many it got so far */
function ask(taker: Taker, places: number): () => number {
  let got = 0;
  for (let i = 0; i < places; i++) void taker.take().then(() => got++);
  return () => got;
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('places', () => {
  test('are as many as there are, and no more', async () => {
    const taker = createFairPlaces(3)();
    const got = ask(taker, 5);
    await settle();
    expect(got()).toBe(3);
    taker.leave();
    await settle();
    expect(got()).toBe(4);
  });

  test('go to who holds the fewest, however many others wait', async () => {
    const newTaker = createFairPlaces(4);
    const [greedy, modest] = [newTaker(), newTaker()];
    const greedyGot = ask(greedy, 100);
    const modestGot = ask(modest, 2);
    await settle();
    expect([greedyGot(), modestGot()]).toEqual([4, 0]);
    greedy.leave();
    await settle();
    expect([greedyGot(), modestGot()]).toEqual([4, 1]);
    greedy.leave();
    await settle();
    expect([greedyGot(), modestGot()]).toEqual([4, 2]);
    greedy.leave();
    await settle();
    expect([greedyGot(), modestGot()]).toEqual([5, 2]);
  });

  test('go around among those who hold as many', async () => {
    const newTaker = createFairPlaces(1);
    const takers = [newTaker(), newTaker(), newTaker()];
    const order: number[] = [];
    for (const [index, taker] of takers.entries()) {
      for (let i = 0; i < 2; i++) {
        void taker.take().then(async () => {
          order.push(index);
          await settle();
          taker.leave();
        });
      }
    }
    for (let i = 0; i < 10; i++) await settle();
    // The first one waited for its second place before the others came.
    expect(order).toEqual([0, 0, 1, 2, 1, 2]);
  });

  test('that were given back are all there again', async () => {
    const newTaker = createFairPlaces(2);
    const first = newTaker();
    await first.take();
    await first.take();
    first.leave();
    first.leave();
    const got = ask(newTaker(), 3);
    await settle();
    expect(got()).toBe(2);
  });
});
