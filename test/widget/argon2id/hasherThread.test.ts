import { expect, test } from 'bun:test';
import { createHasherThread, type Hasher, STEPS } from '../../../src/widget/argon2id/hasherThread.ts';
import type { FromThread, ToThread } from '../../../src/widget/solverThread.ts';

/** A thread whose hashes are computed by `hashOf`, and whose pauses end when the test calls `step`. */
function openThread(hashOf: (prefix: number, counter: number) => number) {
  const started: [number, number][] = [];
  const steps: number[] = [];
  let loaded: Uint8Array | undefined;
  const hasher: Hasher = {
    load: (block) => {
      loaded = block;
    },
    start: (prefix, counter) => void started.push([prefix, counter]),
    fill: (step) => void steps.push(step),
    finish: () => hashOf(...(started.at(-1) ?? [0, 0])),
  };
  const messages: FromThread[] = [];
  let resume: () => void = () => undefined;
  const post: (message: ToThread) => void = createHasherThread({
    openHasher: async () => hasher,
    post: (message) => void messages.push(message),
    pause: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      resume = resolve;
      return promise;
    },
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    post,
    messages,
    started,
    steps,
    loaded: () => loaded,
    settle,
    step: async (count = 1) => {
      for (let i = 0; i < count; i++) {
        resume();
        await settle();
      }
    },
  };
}

const BLOCK = new Uint8Array(128).fill(9);
const search = (prefix: number): ToThread => ({ block: BLOCK, threshold: 5, prefix });

async function openReady(hashOf: (prefix: number, counter: number) => number) {
  const thread = openThread(hashOf);
  await thread.settle();
  return thread;
}

test('a thread reports that it is open', async () => {
  const thread = await openReady(() => 0);
  expect(thread.messages).toEqual([{ kind: 'open' }]);
});

test('a thread tries counters until a hash is at most the threshold', async () => {
  const thread = await openReady((_, counter) => (counter === 2 ? 5 : 6));
  thread.post(search(0x0207));
  expect(thread.loaded()).toBe(BLOCK);
  await thread.step(3 * STEPS);
  expect(thread.started).toEqual([0, 1, 2].map((counter) => [0x0207, counter]));
  expect(thread.steps).toEqual([0, 1, 2].flatMap(() => Array.from({ length: STEPS }, (_, i) => i)));
  expect(thread.messages.at(-1)).toEqual({
    kind: 'found',
    solution: Uint8Array.of(7, 2, 0, 0, 2, 0, 0, 0),
    usesWasm: true,
  });
  const { length } = thread.steps;
  await thread.step();
  expect(thread.steps).toHaveLength(length);
});

test('a thread switches to another search between two steps of a hash', async () => {
  const thread = await openReady((prefix) => (prefix === 1 ? 0 : 9));
  thread.post(search(0));
  await thread.step(2);
  thread.post(search(1));
  await thread.step(1 + STEPS);
  expect(thread.started).toEqual([
    [0, 0],
    [1, 0],
  ]);
  expect(thread.messages.filter(({ kind }) => kind === 'found')).toMatchObject([
    { solution: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0) },
  ]);
});

test('a thread without a task stops within one step and ignores further tasks', async () => {
  const thread = await openReady(() => 9);
  thread.post(search(0));
  await thread.step(2);
  thread.post(undefined);
  const { length } = thread.steps;
  await thread.step(2);
  thread.post(search(1));
  await thread.step(2);
  expect(thread.steps).toHaveLength(length);
});

test.each([
  ['cannot be opened', 'open'],
  ['fails', 'search'],
] as const)('a thread whose hasher %s reports that it is broken', async (_, when) => {
  const messages: FromThread[] = [];
  const failure = new RangeError('cannot allocate memory');
  const post = createHasherThread({
    openHasher: async () => {
      if (when === 'open') throw failure;
      const fail = () => {
        throw failure;
      };
      return { load: () => undefined, start: fail, fill: fail, finish: fail };
    },
    post: (message) => void messages.push(message),
    pause: () => Promise.resolve(),
  });
  await new Promise(setImmediate);
  post(search(0));
  await new Promise(setImmediate);
  expect(messages.at(-1)).toEqual({ kind: 'broken', reason: 'RangeError: cannot allocate memory' });
});
