import { expect, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import { withSeeds } from './randomScheduler.ts';

test('a scheduler runs events in different orders, and repeats the order of a seed', async () => {
  async function ordersOf(count: number): Promise<string[]> {
    const orders: string[] = [];
    await withSeeds(count, async ({ hold, time, mustSettle, run }) => {
      let order = '';
      const action = (name: string) => async () => {
        await mustSettle(name, hold());
        order += name;
      };
      time.timer(10, () => {
        order += 't';
      });
      await run([action('a'), action('b'), action('c')]);
      orders.push(order);
    });
    return orders;
  }

  const orders = await ordersOf(20);
  expect(new Set(orders.map((order) => [...order].sort().join('')))).toEqual(new Set(['abct']));
  expect(new Set(orders).size).toBeGreaterThan(5);
  expect(await ordersOf(20)).toEqual(orders);
});

test('a scheduler names promises that never settle, and the seed', async () => {
  const failed = withSeeds(3, ({ mustSettle, run }) =>
    run([
      () => void mustSettle('first', Promise.resolve()),
      () => void mustSettle('second', new Promise(() => {})),
    ]),
  );
  expect(await failed.catch(reasonOf)).toBe('seed 1: never settled: second');
});

test('a resource that can fail fails for some events', async () => {
  const results: string[] = [];
  await withSeeds(10, async ({ holdOrFail, run }) => {
    const action = () =>
      void holdOrFail().then(
        () => results.push('continued'),
        () => results.push('failed'),
      );
    await run([action, action, action]);
  });
  expect(new Set(results)).toEqual(new Set(['continued', 'failed']));
});
