import { expect, test } from 'bun:test';
import { reasonOf } from '../../src/lib/log.ts';
import { createArgon2idThreads } from '../../src/server/argon2id/argon2id.ts';
import { withSeeds } from '../support/randomScheduler.ts';

const WORK = { block: new Uint8Array(128), solutions: new Uint8Array(8), threshold: 1 };

type Ending = 'verified' | 'failed' | 'ended';

/** A worker that answers, or ends instead. */
function createFakeWorker(answer: () => Promise<Ending>) {
  let isEnded = false;
  const worker = Object.assign(new EventTarget(), {
    onmessage: (_: { readonly data: unknown }) => {},
    async postMessage({ id }: { readonly id: number }) {
      const kind = await answer();
      if (kind === 'ended') worker.terminate();
      const content = kind === 'verified' ? { result: true } : { reason: 'no library' };
      if (!isEnded) worker.onmessage({ data: { first: id, count: 1, ...content } });
    },
    terminate() {
      if (isEnded) return;
      isEnded = true;
      worker.dispatchEvent(new Event('close'));
    },
    isEnded: () => isEnded,
  });
  return worker;
}

/** The threads and their workers. */
function open(answer: () => Promise<Ending>) {
  const workers: ReturnType<typeof createFakeWorker>[] = [];
  const threads = createArgon2idThreads(() => {
    const worker = createFakeWorker(answer);
    workers.push(worker);
    return worker as unknown as Worker;
  });
  return { threads, workers };
}

test('after a failure, which a thread remembers if it could not load the library, another thread tries again', async () => {
  const endings: Ending[] = ['failed', 'verified', 'verified'];
  const { threads, workers } = open(async () => endings.shift() ?? 'failed');
  const results: unknown[] = [];
  for (let i = 0; i < 3; i++) results.push(await threads.verify(WORK).catch(reasonOf));
  expect(results).toEqual(['no library', true, true]);
  expect(workers.map(({ isEnded }) => isEnded())).toEqual([true, false]);
});

test('every verification ends, and no thread is left, in every order of answers, ended threads, and the stop', async () => {
  await withSeeds(300, async ({ random, hold, mustSettle, run }) => {
    const ending = () => (['verified', 'verified', 'failed', 'ended'] as const)[random(4)] ?? 'failed';
    const { threads, workers } = open(() => hold().then(ending));
    const verify = () => void mustSettle('verify', threads.verify(WORK)).catch(() => {});
    await run([...Array(8).fill(verify), threads.stop, ...Array(3).fill(verify)]);
    expect(workers.every(({ isEnded }) => isEnded())).toBe(true);
  });
});
