import { describe, expect, test } from 'bun:test';
import { areDistinct } from '../../src/puzzle/check.ts';
import { SOLUTION_SIZE } from '../../src/puzzle/solution.ts';
import { threadCountFor } from '../../src/widget/openThreads.ts';
import { createPool, NO_RESPONSE, solveInTurn, type Work } from '../../src/widget/pool.ts';
import type { FromThread, OpenThread, ToThread } from '../../src/widget/solverThread.ts';

/** A solver thread whose messages come from the test. */
type FakeThread = {
  readonly received: ToThread[];
  readonly send: (message: FromThread) => void;
  isClosed: boolean;
};

/** Opens threads into the list. */
const openInto =
  (threads: FakeThread[]): OpenThread =>
  (send) => {
    const thread: FakeThread = { received: [], send, isClosed: false };
    threads.push(thread);
    return {
      post: (message) => void thread.received.push(message),
      dispose: () => {
        thread.isClosed = true;
      },
    };
  };

function openFakes(count: number) {
  const workers: FakeThread[] = [];
  const timers: (() => void)[] = [];
  const pool = createPool([openInto(workers), count], (_, run) => void timers.push(run));
  const fireTimers = () => timers.splice(0).forEach((run) => void run());
  return { pool, workers, fireTimers };
}

const work = (solutionCount: number): Work => ({ block: new Uint8Array(128), threshold: 1, solutionCount });
const open: FromThread = { kind: 'open' };
/** @param last the last byte of the solution, which distinguishes it from the solutions of other threads */
const found = (index: number, usesWasm = true, last = 1): FromThread => ({
  kind: 'found',
  solution: Uint8Array.of(index, 0, 0, 0, 0, 0, 0, last),
  usesWasm,
});
const noop = () => undefined;

/** The index assigned to the thread. */
function indexOf(thread: FakeThread | undefined): number | undefined {
  const prefix = thread?.received.at(-1)?.prefix;
  return prefix === undefined ? undefined : prefix & 255;
}

describe('a pool', () => {
  test('assigns the next index to each thread that is done', async () => {
    const { pool, workers } = openFakes(2);
    const [a, b] = workers;
    await Bun.sleep(0);
    a?.send(open);
    const progress: number[] = [];
    const solved = pool.solve(work(4), (count) => progress.push(count));
    b?.send(open);
    expect(a?.received).toEqual([{ block: new Uint8Array(128), threshold: 1, prefix: 0 }]);
    expect([indexOf(a), indexOf(b)]).toEqual([0, 1]);
    b?.send(found(1));
    b?.send(found(2));
    expect([indexOf(a), indexOf(b)]).toEqual([0, 3]);
    a?.send(found(0));
    b?.send(found(3));
    const { solutions, usedWasm } = await solved;
    expect([...solutions.filter((_, i) => i % SOLUTION_SIZE === 0)]).toEqual([0, 1, 2, 3]);
    expect(areDistinct(solutions)).toBe(true);
    expect(usedWasm).toBe(true);
    expect(progress).toEqual([1, 2, 3, 4]);
  });

  test('lets idle threads help with the last index, each with another starting point', async () => {
    const { pool, workers } = openFakes(3);
    for (const thread of workers) thread.send(open);
    const solved = pool.solve(work(1), noop);
    expect(workers.map(indexOf)).toEqual([0, 0, 0]);
    expect(workers.map(({ received }) => received[0]?.prefix)).toEqual([0, 0x100, 0x200]);
    workers[2]?.send(found(0));
    workers[1]?.send(found(0, true, 2));
    expect([...(await solved).solutions]).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });

  test('assigns another index to helpers when theirs is solved', async () => {
    const { pool, workers } = openFakes(3);
    for (const thread of workers) thread.send(open);
    void pool.solve(work(2), noop);
    expect(workers.map(indexOf)).toEqual([0, 1, 0]);
    workers[0]?.send(found(0));
    expect(workers.map(indexOf)).toEqual([1, 1, 1]);
  });

  test('assigns the index of a broken worker to another', async () => {
    const { pool, workers } = openFakes(2);
    for (const thread of workers) thread.send(open);
    const solved = pool.solve(work(2), noop);
    workers[1]?.send({ kind: 'broken', reason: 'out of memory' });
    expect(workers[1]?.isClosed).toBe(true);
    workers[0]?.send(found(0));
    expect(indexOf(workers[0])).toBe(1);
    workers[0]?.send(found(1));
    expect((await solved).solutions).toHaveLength(16);
  });

  test('fails and closes its threads if none responds in time', async () => {
    const { pool, workers, fireTimers } = openFakes(2);
    const solved = pool.solve(work(1), noop).catch((cause: unknown) => cause);
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    fireTimers();
    expect(await solved).toBe(NO_RESPONSE);
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  test('ignores the start timeout if a worker is open or the pool is closed', async () => {
    const failures: unknown[] = [];
    const busy = openFakes(2);
    const closed = openFakes(2);
    for (const { pool } of [busy, closed]) pool.failure.catch((cause) => failures.push(cause));
    await Bun.sleep(0);
    busy.workers[0]?.send(open);
    closed.pool.dispose();
    busy.fireTimers();
    closed.fireTimers();
    await Bun.sleep(0);
    expect(failures).toEqual([]);
    expect(busy.workers.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    expect(closed.workers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  test.each(['before', 'after'])(
    'fails with the reason if no thread works, %s the puzzle arrives',
    async (when) => {
      const { pool, workers } = openFakes(2);
      const early = when === 'after' ? pool.solve(work(1), noop).catch(String) : undefined;
      for (const thread of workers) thread.send({ kind: 'broken', reason: 'blocked' });
      await Bun.sleep(0);
      expect(await (early ?? pool.solve(work(1), noop).catch(String))).toBe('Error: blocked');
    },
  );

  test('fails if the browser does not allow workers', async () => {
    const openNothing = () => {
      throw new Error('worker-src');
    };
    const pool = createPool([openNothing, 2], noop);
    expect(await pool.solve(work(1), noop).catch(String)).toBe('Error: worker-src');
  });
});

describe('a puzzle that is solved in turn', () => {
  function startInTurn() {
    const workers: FakeThread[] = [];
    const page: FakeThread[] = [];
    const abort = new AbortController();
    const solved = solveInTurn(
      [
        [openInto(workers), 2],
        [openInto(page), 1],
      ],
      (opener) => createPool(opener, noop),
      work(1),
      noop,
      abort.signal,
    );
    return { workers, page, abort, solved };
  }

  test('uses the threads of the first opener that works, even if only one of them works', async () => {
    const { workers, page, solved } = startInTurn();
    await Bun.sleep(0);
    workers[0]?.send({ kind: 'broken', reason: 'cannot allocate memory' });
    workers[1]?.send(open);
    workers[1]?.send(found(0));
    expect((await solved).usedWasm).toBe(true);
    expect(page).toHaveLength(0);
    expect(workers[1]?.isClosed).toBe(true);
  });

  test('uses the next opener if no thread works', async () => {
    const { workers, page, solved } = startInTurn();
    for (const thread of workers) thread.send({ kind: 'broken', reason: 'blocked' });
    await Bun.sleep(0);
    page[0]?.send(open);
    page[0]?.send(found(0, false));
    expect(await solved).toMatchObject({ usedWasm: false });
  });

  test('fails with the last reason if no opener works', async () => {
    const { workers, page, solved } = startInTurn();
    for (const thread of workers) thread.send({ kind: 'broken', reason: 'blocked' });
    await Bun.sleep(0);
    page[0]?.send({ kind: 'broken', reason: 'no solver' });
    expect(await solved.catch(String)).toBe('Error: no solver');
  });

  test('opens no threads after the signal', async () => {
    const workers: FakeThread[] = [];
    const signal = AbortSignal.abort();
    await solveInTurn(
      [[openInto(workers), 1]],
      (opener) => createPool(opener, noop),
      work(1),
      noop,
      signal,
    ).catch(noop);
    expect(workers).toEqual([]);
  });

  test('closes its threads after the signal', async () => {
    const { workers, abort } = startInTurn();
    abort.abort();
    expect(workers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
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
])('%p cores and %p GiB of memory result in %d threads', (cores, memory, threads) => {
  expect(threadCountFor(cores, memory)).toBe(threads);
});
