import { expect, test } from 'bun:test';
import { readU32 } from '../../src/puzzle/puzzle.ts';
import { createLane } from '../../src/widget/lane.ts';
import type { FromLane, ToLane } from '../../src/widget/messages.ts';
import type { Solver } from '../../src/widget/solver.ts';

type Call = { readonly prefix: number; readonly start: number; readonly count: number };

/** A lane over a solver that finds what `decide` says; `said` resolves with its next message. */
function openLane(decide: (call: Call) => number, msPerSlice = 0) {
  const calls: Call[] = [];
  let time = 0;
  const solver: Solver = {
    usesWasm: false,
    load: () => undefined,
    search(prefix, start, count) {
      time += msPerSlice;
      calls.push({ prefix, start, count });
      return decide({ prefix, start, count });
    },
  };
  const opened: unknown[] = [];
  const waiting: ((message: FromLane) => void)[] = [];
  const inbox: FromLane[] = [];
  const tell: (message: ToLane) => void = createLane({
    openSolver: async (kernel) => {
      opened.push(kernel);
      return solver;
    },
    post: (message) => {
      const next = waiting.shift();
      if (next) next(message);
      else inbox.push(message);
    },
    pause: () => Promise.resolve(),
    now: () => time,
    sliceMs: 8,
  });
  const said = () =>
    new Promise<FromLane>((resolve) => {
      const message = inbox.shift();
      if (message) resolve(message);
      else waiting.push(resolve);
    });
  tell({ kind: 'open', kernel: KERNEL });
  return { calls, tell, said, opened };
}

const KERNEL = new Uint8Array(3);
const load: ToLane = { kind: 'load', block: new Uint8Array(128), threshold: 5 };

test('a lane says when it is ready, and with which solver', async () => {
  const { said, opened } = openLane(() => 0);
  expect(await said()).toEqual({ kind: 'ready', usesWasm: false });
  expect(opened).toEqual([KERNEL]);
});

test('a solution carries its index, the helper and the counter', async () => {
  const { said, tell } = openLane(({ start }) => (start >= 1000 ? 3 : 0));
  await said();
  tell(load);
  tell({ kind: 'search', index: 7, helper: 2 });
  const message = await said();
  if (message.kind !== 'found') throw new Error(message.kind);
  expect(message.index).toBe(7);
  expect([...message.solution.subarray(0, 4)]).toEqual([7, 2, 0, 0]);
  expect(readU32(message.solution, 4)).toBeGreaterThanOrEqual(1002);
});

test('slices follow one another without a gap, and grow while they are short', async () => {
  const { said, tell, calls } = openLane(({ start }) => (start > 100_000 ? 1 : 0));
  await said();
  tell(load);
  tell({ kind: 'search', index: 0, helper: 0 });
  await said();
  let next = 0;
  for (const { start, count } of calls) {
    expect(start).toBe(next);
    next += count;
  }
  expect(calls[0]?.count).toBe(256);
  expect(Math.max(...calls.map(({ count }) => count))).toBe(65_536);
});

test('slices stay short where hashing is slow', async () => {
  const { said, tell, calls } = openLane(({ start }) => (start > 5000 ? 1 : 0), 100);
  await said();
  tell(load);
  tell({ kind: 'search', index: 0, helper: 0 });
  await said();
  expect(calls.every(({ count }) => count === 256)).toBe(true);
});

test('a lane takes up another search between two slices, and rests when told', async () => {
  const { said, tell, calls } = openLane(({ prefix }) => (prefix === 1 ? 1 : 0));
  await said();
  tell(load);
  tell({ kind: 'search', index: 0, helper: 0 });
  await Promise.resolve();
  tell({ kind: 'search', index: 1, helper: 0 });
  expect(await said()).toMatchObject({ kind: 'found', index: 1 });
  tell({ kind: 'search', index: 0, helper: 0 });
  tell({ kind: 'rest' });
  await Promise.resolve();
  await Promise.resolve();
  const { length } = calls;
  await new Promise(setImmediate);
  expect(calls).toHaveLength(length);
});

test('past the last counter the search goes on in the bytes before it', async () => {
  const { said, tell, calls } = openLane(({ prefix }) => (prefix === 0x10005 ? 1 : 0));
  await said();
  tell(load);
  tell({ kind: 'search', index: 5, helper: 0 });
  const message = await said();
  if (message.kind !== 'found') throw new Error(message.kind);
  expect([...message.solution]).toEqual([5, 0, 1, 0, 0, 0, 0, 0]);
  const last = calls.at(-2);
  expect((last?.start ?? 0) + (last?.count ?? 0)).toBe(2 ** 32);
});

test('a lane without a solver says that it is broken', async () => {
  const said = new Promise<FromLane>((resolve) => {
    const tell = createLane({
      openSolver: () => Promise.reject(new Error('no memory')),
      post: resolve,
      pause: () => Promise.resolve(),
      now: () => 0,
      sliceMs: 8,
    });
    tell({ kind: 'open', kernel: undefined });
  });
  expect(await said).toEqual({ kind: 'broken', reason: 'Error: no memory' });
});
