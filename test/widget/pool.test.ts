import { describe, expect, test } from 'bun:test';
import { areDistinct } from '../../src/puzzle/check.ts';
import { SOLUTION_SIZE } from '../../src/puzzle/solution.ts';
import type { FromLane, ToLane } from '../../src/widget/messages.ts';
import { createPool, laneCountOf, type OpenLane, type Work } from '../../src/widget/pool.ts';

/** A lane whose every word is the test's. */
type FakeLane = {
  readonly heard: ToLane[];
  readonly say: (message: FromLane) => void;
  isClosed: boolean;
};

/** A pool with three ways: workers of the page's own origin, workers, and the page itself. The kernel has arrived. */
async function openFakes(laneCount: number, kernel: Promise<undefined> = Promise.resolve(undefined)) {
  const ours: FakeLane[] = [];
  const workers: FakeLane[] = [];
  const here: FakeLane[] = [];
  const timers: (() => void)[] = [];
  const openInto =
    (lanes: FakeLane[]): OpenLane =>
    (say) => {
      const lane: FakeLane = { heard: [], say, isClosed: false };
      lanes.push(lane);
      return {
        post: (message) => void lane.heard.push(message),
        close: () => {
          lane.isClosed = true;
        },
      };
    };
  const pool = createPool({
    ways: [openInto(ours), openInto(workers), openInto(here)],
    laneCount,
    kernel,
    later: (_, run) => void timers.push(run),
  });
  for (const lane of ours) lane.say({ kind: 'broken', reason: 'another origin' });
  await Promise.resolve();
  return { pool, ours, workers, here, fireTimers: () => timers.splice(0).forEach((run) => void run()) };
}

const work = (solutionCount: number): Work => ({ block: new Uint8Array(128), threshold: 1, solutionCount });
const ready: FromLane = { kind: 'ready', usesWasm: true };
const found = (index: number): FromLane => ({
  kind: 'found',
  index,
  solution: new Uint8Array(SOLUTION_SIZE).fill(index + 1),
});
const ignore = () => undefined;

/** The index that the lane works on, as far as it was told. */
function indexOf(lane: FakeLane | undefined): number | undefined {
  const last = lane?.heard.at(-1);
  return last?.kind === 'search' ? last.index : undefined;
}

describe('a pool', () => {
  test('hands out the indexes one by one, to whoever is done', async () => {
    const { pool, workers } = await openFakes(2);
    const [a, b] = workers;
    a?.say(ready);
    const told: number[] = [];
    const solved = pool.solve(work(4), (count) => told.push(count));
    b?.say(ready);
    expect(a?.heard.map(({ kind }) => kind)).toEqual(['open', 'load', 'search']);
    expect([indexOf(a), indexOf(b)]).toEqual([0, 1]);
    b?.say(found(1));
    b?.say(found(2));
    expect([indexOf(a), indexOf(b)]).toEqual([0, 3]);
    a?.say(found(0));
    b?.say(found(3));
    const { solutions, usedWasm } = await solved;
    expect([...solutions.filter((_, i) => i % SOLUTION_SIZE === 0)]).toEqual([1, 2, 3, 4]);
    expect(areDistinct(solutions)).toBe(true);
    expect(usedWasm).toBe(true);
    expect(told).toEqual([1, 2, 3, 4]);
    expect(a?.heard.at(-1)).toEqual({ kind: 'rest' });
  });

  test('lets idle lanes help with the last index, each from another starting point', async () => {
    const { pool, workers } = await openFakes(3);
    for (const lane of workers) lane.say(ready);
    const solved = pool.solve(work(1), ignore);
    expect(workers.map(indexOf)).toEqual([0, 0, 0]);
    const helpers = workers.map(({ heard }) => heard.find(({ kind }) => kind === 'search'));
    expect(new Set(helpers.map((message) => JSON.stringify(message))).size).toBe(3);
    workers[2]?.say(found(0));
    workers[1]?.say({ ...found(0), solution: new Uint8Array(SOLUTION_SIZE) } as FromLane);
    expect((await solved).solutions[0]).toBe(1);
  });

  test('moves helpers on when their index is found', async () => {
    const { pool, workers } = await openFakes(3);
    for (const lane of workers) lane.say(ready);
    void pool.solve(work(2), ignore);
    expect(workers.map(indexOf)).toEqual([0, 1, 0]);
    workers[0]?.say(found(0));
    expect(workers.map(indexOf)).toEqual([1, 1, 1]);
  });

  test('gives the index of a broken worker to another', async () => {
    const { pool, workers, here } = await openFakes(2);
    for (const lane of workers) lane.say(ready);
    const solved = pool.solve(work(2), ignore);
    workers[1]?.say({ kind: 'broken', reason: 'out of memory' });
    expect(workers[1]?.isClosed).toBe(true);
    workers[0]?.say(found(0));
    expect(indexOf(workers[0])).toBe(1);
    workers[0]?.say(found(1));
    expect((await solved).solutions).toHaveLength(16);
    expect(here).toHaveLength(0);
  });

  test('solves on the page when all workers are broken', async () => {
    const { pool, workers, here } = await openFakes(2);
    for (const lane of workers) lane.say({ kind: 'broken', reason: 'blocked' });
    const solved = pool.solve(work(1), ignore);
    here[0]?.say({ kind: 'ready', usesWasm: false });
    here[0]?.say(found(0));
    expect((await solved).usedWasm).toBe(false);
  });

  test('waits for the kernel before it opens a lane, and before it minds a silence', async () => {
    let arrive: (kernel: undefined) => void = ignore;
    const kernel = new Promise<undefined>((resolve) => {
      arrive = resolve;
    });
    const { workers, here, fireTimers } = await openFakes(2, kernel);
    expect(workers.map(({ heard }) => heard)).toEqual([[], []]);
    fireTimers();
    expect(here).toHaveLength(0);
    arrive(undefined);
    await kernel;
    expect(workers.map(({ heard }) => heard)).toEqual([
      [{ kind: 'open', kernel: undefined }],
      [{ kind: 'open', kernel: undefined }],
    ]);
    fireTimers();
    expect(here).toHaveLength(1);
    expect(here[0]?.heard).toEqual([{ kind: 'open', kernel: undefined }]);
  });

  test('solves on the page when no worker says a word', async () => {
    const { pool, here, fireTimers } = await openFakes(2);
    void pool.solve(work(1), ignore);
    expect(here).toHaveLength(0);
    fireTimers();
    expect(here).toHaveLength(1);
  });

  test('opens nothing late once a worker is ready, or once it is closed', async () => {
    const busy = await openFakes(2);
    busy.workers[0]?.say(ready);
    busy.fireTimers();
    expect(busy.here).toHaveLength(0);
    const closed = await openFakes(2);
    closed.pool.close();
    closed.fireTimers();
    expect(closed.here).toHaveLength(0);
    expect(closed.workers.every((lane) => lane.isClosed)).toBe(true);
  });

  test('fails with the reason when nothing works', async () => {
    const { pool, workers, here } = await openFakes(1);
    const solved = pool.solve(work(1), ignore);
    workers[0]?.say({ kind: 'broken', reason: 'blocked' });
    here[0]?.say({ kind: 'broken', reason: 'no solver' });
    expect(solved).rejects.toThrow('no solver');
  });
});

test.each([
  [undefined, undefined, 2],
  [1, undefined, 2],
  [4, undefined, 4],
  [64, undefined, 8],
  [8, 8, 8],
  [8, 2, 4],
  [8, 1, 2],
  [8, 0.5, 1],
  [8, 0.25, 1],
])('%p cores and %p GiB of memory make %d lanes', (cores, memory, lanes) => {
  expect(laneCountOf(cores, memory)).toBe(lanes);
});
