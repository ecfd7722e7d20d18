import { describe, expect, test } from 'bun:test';
import { areDistinct } from '../../src/puzzle/check.ts';
import { SOLUTION_SIZE } from '../../src/puzzle/solution.ts';
import type { FromThread, Kernel, ToThread } from '../../src/widget/messages.ts';
import { createPool, type OpenThread, threadCountFor, type Work } from '../../src/widget/pool.ts';

/** A solver thread whose messages come from the test. */
type FakeThread = {
  readonly received: ToThread[];
  readonly send: (message: FromThread) => void;
  isClosed: boolean;
};

const KERNEL = new Uint8Array(8);

/**
 * A pool with three openers: workers from the page's origin, which fail, workers from blobs, and the page's own thread. The fallbacks
 * are other workers, and the page's own thread again.
 */
async function openFakes(threadCount: number, kernel: Promise<Kernel | undefined> = Promise.resolve(KERNEL)) {
  const sameOrigin: FakeThread[] = [];
  const workers: FakeThread[] = [];
  const page: FakeThread[] = [];
  const fallbackWorkers: FakeThread[] = [];
  const fallbackPage: FakeThread[] = [];
  const fallbacks = Promise.withResolvers<void>();
  const timers: (() => void)[] = [];
  const openInto =
    (threads: FakeThread[]): OpenThread =>
    (send) => {
      const thread: FakeThread = { received: [], send, isClosed: false };
      threads.push(thread);
      return {
        post: (message) => void thread.received.push(message),
        close: () => {
          thread.isClosed = true;
        },
      };
    };
  const pool = createPool({
    openers: [openInto(sameOrigin), openInto(workers), openInto(page)],
    async loadFallbacks() {
      await fallbacks.promise;
      return [openInto(fallbackWorkers), openInto(fallbackPage)];
    },
    threadCount,
    kernel,
    later: (_, run) => void timers.push(run),
  });
  for (const thread of sameOrigin) thread.send({ kind: 'broken', reason: 'another origin' });
  await Promise.resolve();
  const fireTimers = () => timers.splice(0).forEach((run) => void run());
  return { pool, workers, page, fallbacks, fallbackWorkers, fallbackPage, fireTimers };
}

const work = (solutionCount: number): Work => ({ block: new Uint8Array(128), threshold: 1, solutionCount });
const ready: FromThread = { kind: 'ready', usesWasm: true };
const found = (index: number): FromThread => ({
  kind: 'found',
  index,
  solution: new Uint8Array(SOLUTION_SIZE).fill(index + 1),
});
const noop = () => undefined;

/** The index assigned to the thread. */
function indexOf(thread: FakeThread | undefined): number | undefined {
  const last = thread?.received.at(-1);
  return last?.kind === 'search' ? last.index : undefined;
}

describe('a pool', () => {
  test('assigns the next index to each thread that is done', async () => {
    const { pool, workers } = await openFakes(2);
    const [a, b] = workers;
    a?.send(ready);
    const progress: number[] = [];
    const solved = pool.solve(work(4), (count) => progress.push(count));
    b?.send(ready);
    expect(a?.received.map(({ kind }) => kind)).toEqual(['open', 'load', 'search']);
    expect([indexOf(a), indexOf(b)]).toEqual([0, 1]);
    b?.send(found(1));
    b?.send(found(2));
    expect([indexOf(a), indexOf(b)]).toEqual([0, 3]);
    a?.send(found(0));
    b?.send(found(3));
    const { solutions, usedWasm } = await solved;
    expect([...solutions.filter((_, i) => i % SOLUTION_SIZE === 0)]).toEqual([1, 2, 3, 4]);
    expect(areDistinct(solutions)).toBe(true);
    expect(usedWasm).toBe(true);
    expect(progress).toEqual([1, 2, 3, 4]);
    expect(a?.received.at(-1)).toEqual({ kind: 'rest' });
  });

  test('lets idle threads help with the last index, each with another starting point', async () => {
    const { pool, workers } = await openFakes(3);
    for (const thread of workers) thread.send(ready);
    const solved = pool.solve(work(1), noop);
    expect(workers.map(indexOf)).toEqual([0, 0, 0]);
    const helpers = workers.map(({ received }) => received.find(({ kind }) => kind === 'search'));
    expect(new Set(helpers.map((message) => JSON.stringify(message))).size).toBe(3);
    workers[2]?.send(found(0));
    workers[1]?.send({ ...found(0), solution: new Uint8Array(SOLUTION_SIZE) } as FromThread);
    expect((await solved).solutions[0]).toBe(1);
  });

  test('assigns another index to helpers when theirs is solved', async () => {
    const { pool, workers } = await openFakes(3);
    for (const thread of workers) thread.send(ready);
    void pool.solve(work(2), noop);
    expect(workers.map(indexOf)).toEqual([0, 1, 0]);
    workers[0]?.send(found(0));
    expect(workers.map(indexOf)).toEqual([1, 1, 1]);
  });

  test('assigns the index of a broken worker to another', async () => {
    const { pool, workers, page } = await openFakes(2);
    for (const thread of workers) thread.send(ready);
    const solved = pool.solve(work(2), noop);
    workers[1]?.send({ kind: 'broken', reason: 'out of memory' });
    expect(workers[1]?.isClosed).toBe(true);
    workers[0]?.send(found(0));
    expect(indexOf(workers[0])).toBe(1);
    workers[0]?.send(found(1));
    expect((await solved).solutions).toHaveLength(16);
    expect(page).toHaveLength(0);
  });

  test('uses the page’s thread if all workers are broken', async () => {
    const { pool, workers, page } = await openFakes(2);
    for (const thread of workers) thread.send({ kind: 'broken', reason: 'blocked' });
    const solved = pool.solve(work(1), noop);
    page[0]?.send({ kind: 'ready', usesWasm: false });
    page[0]?.send(found(0));
    expect((await solved).usedWasm).toBe(false);
  });

  test('waits for the kernel before it opens solvers and before the start timeout begins', async () => {
    const { promise: kernel, resolve: arrive } = Promise.withResolvers<Kernel | undefined>();
    const { workers, page, fireTimers } = await openFakes(2, kernel);
    expect(workers.map(({ received }) => received)).toEqual([[], []]);
    fireTimers();
    expect(page).toHaveLength(0);
    arrive(KERNEL);
    await kernel;
    expect(workers.map(({ received }) => received)).toEqual([
      [{ kind: 'open', kernel: KERNEL }],
      [{ kind: 'open', kernel: KERNEL }],
    ]);
    fireTimers();
    expect(page).toHaveLength(1);
    expect(page[0]?.received).toEqual([{ kind: 'open', kernel: KERNEL }]);
  });

  test('uses the page’s thread if no worker responds', async () => {
    const { pool, page, fireTimers } = await openFakes(2);
    void pool.solve(work(1), noop);
    expect(page).toHaveLength(0);
    fireTimers();
    expect(page).toHaveLength(1);
  });

  test('ignores the start timeout if a worker is ready or the pool is closed', async () => {
    const busy = await openFakes(2);
    busy.workers[0]?.send(ready);
    busy.fireTimers();
    expect(busy.page).toHaveLength(0);
    const closed = await openFakes(2);
    closed.pool.close();
    closed.fireTimers();
    expect(closed.page).toHaveLength(0);
    expect(closed.workers.every((thread) => thread.isClosed)).toBe(true);
  });

  test('uses the fallbacks if no thread works with the kernel', async () => {
    const { pool, workers, page, fallbacks, fallbackWorkers } = await openFakes(1);
    const solved = pool.solve(work(1), noop);
    workers[0]?.send({ kind: 'broken', reason: 'blocked' });
    page[0]?.send({ kind: 'broken', reason: 'no WebAssembly' });
    fallbacks.resolve();
    await Bun.sleep(0);
    expect(fallbackWorkers[0]?.received).toEqual([{ kind: 'open', kernel: KERNEL }]);
    fallbackWorkers[0]?.send({ kind: 'ready', usesWasm: false });
    fallbackWorkers[0]?.send(found(0));
    expect((await solved).usedWasm).toBe(false);
  });

  test('uses the fallbacks, and closes all threads, if there is no kernel', async () => {
    const opened = await openFakes(2, Promise.resolve(undefined));
    const solved = opened.pool.solve(work(1), noop);
    opened.fallbacks.resolve();
    await Bun.sleep(0);
    expect(opened.workers.every((thread) => thread.isClosed)).toBe(true);
    expect(opened.fallbackWorkers).toHaveLength(2);
    for (const thread of opened.fallbackWorkers) thread.send({ kind: 'broken', reason: 'blocked' });
    opened.fallbackPage[0]?.send(ready);
    opened.fallbackPage[0]?.send(found(0));
    expect((await solved).solutions).toHaveLength(SOLUTION_SIZE);
  });

  test('without openers uses only the fallbacks', async () => {
    const threads: FakeThread[] = [];
    const pool = createPool({
      openers: [],
      loadFallbacks: async () => [
        (send) => {
          const thread: FakeThread = { received: [], send, isClosed: false };
          threads.push(thread);
          return { post: (message) => void thread.received.push(message), close: noop };
        },
        () => ({ post: noop, close: noop }),
      ],
      threadCount: 2,
      kernel: Promise.resolve(undefined),
      later: noop,
    });
    const solved = pool.solve(work(1), noop);
    await Bun.sleep(0);
    expect(threads.map(({ received }) => received)).toEqual([
      [{ kind: 'open', kernel: undefined }],
      [{ kind: 'open', kernel: undefined }],
    ]);
    // The memory suffices for one thread only.
    threads[0]?.send({ kind: 'broken', reason: 'cannot allocate memory' });
    threads[1]?.send(ready);
    threads[1]?.send(found(0));
    expect((await solved).usedWasm).toBe(true);
  });

  test('fails with the reason if no thread works', async () => {
    const { pool, fallbacks, fallbackWorkers, fallbackPage } = await openFakes(1, Promise.resolve(undefined));
    const solved = pool.solve(work(1), noop).catch(String);
    fallbacks.resolve();
    await Bun.sleep(0);
    fallbackWorkers[0]?.send({ kind: 'broken', reason: 'blocked' });
    fallbackPage[0]?.send({ kind: 'broken', reason: 'no solver' });
    expect(await solved).toBe('Error: no solver');
  });

  test.each(['before', 'after'])(
    'fails if the fallbacks cannot be loaded, %s the puzzle arrives',
    async (when) => {
      const { pool, fallbacks } = await openFakes(1, Promise.resolve(undefined));
      const early = when === 'after' ? pool.solve(work(1), noop).catch(String) : undefined;
      fallbacks.reject(new Error('solver.js did not load'));
      await Bun.sleep(0);
      expect(await (early ?? pool.solve(work(1), noop).catch(String))).toBe('Error: solver.js did not load');
    },
  );
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
])('%p cores and %p GiB of memory result in %d threads', (cores, memory, threads) => {
  expect(threadCountFor(cores, memory)).toBe(threads);
});
