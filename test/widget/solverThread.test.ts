import { expect, test } from 'bun:test';
import { readU32 } from '../../src/puzzle/puzzle.ts';
import type { Solver } from '../../src/widget/solver.ts';
import { createSolverThread, type FromThread, type ToThread } from '../../src/widget/solverThread.ts';

type Call = { readonly prefix: number; readonly start: number; readonly count: number };

/** A solver thread with a solver that returns the result of `decide`. */
function openThread(decide: (call: Call) => number, msPerSlice = 0) {
  const calls: Call[] = [];
  let time = 0;
  const solver: Solver = {
    usesWasm: false,
    load: () => undefined,
    searchRange(prefix, start, count) {
      time += msPerSlice;
      calls.push({ prefix, start, count });
      return decide({ prefix, start, count });
    },
  };
  const waiting: ((message: FromThread) => void)[] = [];
  const inbox: FromThread[] = [];
  const post: (message: ToThread) => void = createSolverThread(
    async () => solver,
    (message) => {
      const next = waiting.shift();
      if (next) next(message);
      else inbox.push(message);
    },
    () => Promise.resolve(),
    () => time,
    8,
  );
  const nextMessage = () =>
    new Promise<FromThread>((resolve) => {
      const message = inbox.shift();
      if (message) resolve(message);
      else waiting.push(resolve);
    });
  return { calls, post, nextMessage };
}

const search = (prefix: number): ToThread => ({ block: new Uint8Array(128), threshold: 5, prefix });

test('a solver thread reports that it is open', async () => {
  const { nextMessage } = openThread(() => 0);
  expect(await nextMessage()).toEqual({ kind: 'open' });
});

test('a solution contains the prefix and the counter', async () => {
  const { nextMessage, post } = openThread(({ start }) => (start >= 1000 ? 3 : 0));
  await nextMessage();
  post(search(0x0207));
  const message = await nextMessage();
  if (message.kind !== 'found') throw new Error(message.kind);
  expect(message.usesWasm).toBe(false);
  expect([...message.solution.subarray(0, 4)]).toEqual([7, 2, 0, 0]);
  expect(readU32(message.solution, 4)).toBeGreaterThanOrEqual(1002);
});

test('slices are contiguous, and grow while they take little time', async () => {
  const { nextMessage, post, calls } = openThread(({ start }) => (start > 100_000 ? 1 : 0));
  await nextMessage();
  post(search(0));
  await nextMessage();
  let next = 0;
  for (const { start, count } of calls) {
    expect(start).toBe(next);
    next += count;
  }
  expect(calls[0]?.count).toBe(16);
  expect(Math.max(...calls.map(({ count }) => count))).toBe(65_536);
});

test('slices remain short if hashing is slow', async () => {
  const { nextMessage, post, calls } = openThread(({ start }) => (start > 5000 ? 1 : 0), 100);
  await nextMessage();
  post(search(0));
  await nextMessage();
  expect(calls.every(({ count }) => count === 16)).toBe(true);
});

test('a solver thread switches to another search between two slices, and stops on request', async () => {
  const { nextMessage, post, calls } = openThread(({ prefix }) => (prefix === 1 ? 1 : 0));
  await nextMessage();
  post(search(0));
  await Promise.resolve();
  post(search(1));
  expect(await nextMessage()).toMatchObject({
    kind: 'found',
    solution: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0),
  });
  post(search(0));
  post(undefined);
  await Promise.resolve();
  await Promise.resolve();
  const { length } = calls;
  await new Promise(setImmediate);
  expect(calls).toHaveLength(length);
});

test('after the last counter, the search continues in the bytes before it', async () => {
  const { nextMessage, post, calls } = openThread(({ prefix }) => (prefix === 0x10005 ? 1 : 0));
  await nextMessage();
  post(search(5));
  const message = await nextMessage();
  if (message.kind !== 'found') throw new Error(message.kind);
  expect([...message.solution]).toEqual([5, 0, 1, 0, 0, 0, 0, 0]);
  const last = calls.at(-2);
  expect((last?.start ?? 0) + (last?.count ?? 0)).toBe(2 ** 32);
});

test('a solver thread without a solver reports that it is broken', async () => {
  const nextMessage = new Promise<FromThread>((resolve) => {
    const openSolver = () => Promise.reject(new Error('no memory'));
    createSolverThread(
      openSolver,
      resolve,
      () => Promise.resolve(),
      () => 0,
      8,
    );
  });
  expect(await nextMessage).toEqual({ kind: 'broken', reason: 'Error: no memory' });
});
