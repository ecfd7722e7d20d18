import { afterAll, describe, expect, test } from 'bun:test';
import { toClient } from '../../src/captcha/clientLoad.ts';
import type { RateLimitState } from '../../src/http/rateLimit.ts';
import { createOwnMemory } from '../../src/lib/sharedMemory.ts';
import { createRandom } from '../support/random.ts';
import { openTables, RATE, type TableStep } from '../support/tableThread.ts';
import { openTableThreads } from '../support/tableThreads.ts';

/** Threads that share the tables of rate limits, of the load, and of the replay guard. More threads than cores. */
const THREADS = 6;
const START = Date.UTC(2026, 0, 1);

const threads = await openTableThreads(THREADS);
afterAll(threads.close);

/** Requests of more clients and puzzles than the tables have rows, on a clock that sometimes is set back. */
function createTrace(length: number): TableStep[] {
  const random = createRandom(4711);
  const client = () => (random(2) === 0 ? toClient(1, random(5)) : toClient(random(40), random(2 ** 26)));
  let at = START;
  return Array.from({ length }, () => {
    at += random(100) === 0 ? -random(100_000) : random(2000);
    const kind = random(6);
    if (kind === 0) return { verify: client(), difficulty: 100 + random(40), at };
    if (kind === 1) return { claim: random(60), stored: 1 + random(4), maxCount: 1 + random(4) };
    if (kind === 2) return { add: [[client(), 1 + random(500)]], at };
    if (kind === 3) return { take: client(), at, times: 1 + random(4) };
    return { observe: client(), property: 1 + random(100), at, times: 1 + random(4) };
  });
}

const take = (key: number): TableStep => ({ take: key, at: START + 3_600_000, times: 500 });

describe('threads that share the tables', () => {
  test('get the results of a single thread if they take turns', async () => {
    const single = openTables(createOwnMemory());
    for (const [index, step] of createTrace(1500).entries()) {
      const thread = threads.all[index % THREADS];
      expect(await thread?.run(step)).toEqual(await single(step));
    }
  });

  test('allow exactly the burst of a key at the same time', async () => {
    const states = (await Promise.all(
      threads.all.map((thread) => thread.run(take(1))),
    )) as RateLimitState[][];
    expect(states.flat().filter(({ isAllowed }) => isAllowed)).toHaveLength(RATE.burst);
  });

  test('lose no puzzle of many clients at the same time', async () => {
    const at = START + 3_600_000;
    const clients = Array.from({ length: 40 }, (_, index) => toClient(1000 + index, index));
    const visit: TableStep = { visit: clients, property: 1000, at, times: 15 };
    await Promise.all(threads.all.map((thread) => thread.run(visit)));
    for (const [index, client] of clients.entries()) {
      // A property without other puzzles, so that recent puzzles do not count as open.
      const step: TableStep = { observe: client, property: 2000 + index, at };
      expect(await threads.run(step)).toEqual([{ clientFill: 15 * THREADS, propertyFill: 0 }]);
    }
  });

  test('reject a puzzle on all threads after one of them has verified it', async () => {
    const claim = { claim: 900, stored: 2, maxCount: 2 } as const;
    expect(await threads.all[0]?.run(claim)).toBe('repeat');
    // A result that arrives late does not lower the count.
    expect(await threads.all[1]?.run({ ...claim, stored: 1, maxCount: 3 })).toBe('first');
    for (const thread of threads.all) expect(await thread.run(claim)).toBe('spent');
  });

  test('each count only their own requests for other nodes', async () => {
    for (const thread of threads.all) await thread.run('tally');
    const at = START + 2 * 3_600_000;
    await threads.all[0]?.run({ take: 7, at, times: 3 });
    await threads.all[1]?.run({ take: 7, at });
    await threads.all[1]?.run({ add: [[8, 100]], at });
    const cost = 1000 / RATE.rate;
    expect(await threads.all[0]?.run('tally')).toEqual([[7, 3 * cost]]);
    expect(await threads.all[1]?.run('tally')).toEqual([[7, cost]]);
    expect(await threads.all[2]?.run('tally')).toEqual([]);
  });
});
