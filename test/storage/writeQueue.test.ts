import { expect, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import { StoreFailure } from '../../src/model/storeFailure.ts';
import { createWriteQueue } from '../../src/storage/writeQueue.ts';
import { withSeeds } from '../support/randomScheduler.ts';
import { createVirtualTime } from '../support/virtualTime.ts';

const TOO_LATE = 'management writes have waited for 5 s';
const TOO_MANY = 'too many management writes are waiting';

/** Starts writes that end when the test says so. */
function createWrites() {
  const time = createVirtualTime();
  const inTurn = createWriteQueue(2, time.timer);
  const ends: (() => void)[] = [];
  const results: string[] = [];
  function start(name: string): void {
    const write = () => new Promise<string>((resolve) => ends.push(() => resolve(name)));
    void inTurn(write).then(
      (result) => results.push(result),
      (error: unknown) => results.push(`${error instanceof StoreFailure} ${reasonOf(error)}`),
    );
  }
  return { time, start, results, started: () => ends.length, end: (index: number) => ends[index]?.() };
}

test('a write that has waited for too long never starts, and its turn goes to the next one', async () => {
  const { time, start, results, started, end } = createWrites();
  for (const name of ['first', 'second', 'late']) start(name);
  await Bun.sleep(0);
  expect(started()).toBe(2);
  await time.step();
  expect(results).toEqual([`true ${TOO_LATE}`]);
  start('next');
  end(0);
  await Bun.sleep(0);
  expect(started()).toBe(3);
  end(1);
  end(2);
  await Bun.sleep(0);
  expect(results.slice(1)).toEqual(['first', 'second', 'next']);
});

test('writes beyond the length of the queue are rejected', async () => {
  const { start, results } = createWrites();
  for (let i = 0; i < 1003; i++) start(`write ${i}`);
  await Bun.sleep(0);
  expect(results).toEqual([`true ${TOO_MANY}`]);
});

test('every write settles, in every order of waits, ends, and failures', async () => {
  await withSeeds(200, async ({ run, time, holdOrFail, mustSettle, random }) => {
    const inTurn = createWriteQueue(2, time.timer);
    let running = 0;
    let mostRunning = 0;
    async function write(): Promise<void> {
      running++;
      mostRunning = Math.max(mostRunning, running);
      await holdOrFail().finally(() => running--);
    }
    const actions = Array.from({ length: 1 + random(20) }, (_, number) => () => {
      void mustSettle(`write ${number}`, inTurn(write)).catch(() => {});
    });
    await run(actions);
    expect(mostRunning).toBeWithin(1, 3);
    expect(running).toBe(0);
  });
});
