import { expect, test } from 'bun:test';
import { createPool, type Later } from '../../src/widget/pool.ts';
import type { FromThread, OpenThread } from '../../src/widget/solverThread.ts';
import { withSeeds } from '../support/randomScheduler.ts';

test('a pool finds all solutions or fails, in every order of starts, solutions, and broken threads', async () => {
  await withSeeds(400, async ({ random, hold, time, mustSettle, run }) => {
    const opener: OpenThread = (onMessage) => {
      let isClosed = false;
      const isSilent = random(6) === 0;
      const send = (message: FromThread) => {
        if (!isClosed) onMessage(message);
      };
      void hold().then(() => !isSilent && send({ kind: 'open' }));
      return {
        post(task) {
          if (task === undefined) return;
          const breaks = random(8) === 0;
          const solution = Uint8Array.of(task.prefix & 0xff, 0, 0, 0, 0, 0, 0, 0);
          void hold().then(() =>
            send(breaks ? { kind: 'broken', reason: 'broken' } : { kind: 'found', solution, usesWasm: true }),
          );
        },
        dispose() {
          isClosed = true;
        },
      };
    };
    const later: Later = (milliseconds, timeout) => void time.timer(milliseconds, timeout);
    const pool = createPool([opener, 1 + random(4)], later);
    const solutionCount = 1 + random(8);
    const work = { block: new Uint8Array(128), threshold: 1, solutionCount };
    const solved = mustSettle(
      'solve',
      pool.solve(work, () => {}),
    );
    solved.catch(() => {});
    await run([]);
    const { solutions } = await solved.catch(() => ({ solutions: undefined }));
    if (solutions !== undefined) expect(solutions).toHaveLength(8 * solutionCount);
  });
});
