import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type Job, MARK } from './mirror/job.ts';
import type { Mirror } from './mirror/mirror.ts';

/** Runs jobs, one after the other, in processes of its own mirror. */
export type Lane = {
  /** @returns how the process ended: `stalled` if it was killed, because it sent no answer for some time */
  readonly run: (job: Job, onAnswer: (answer: Answer) => void) => Promise<'ended' | 'stalled'>;
};

/** Before a process has started with the first mutant. In milliseconds. */
const MAX_START_MS = 300_000;

/** The limits of the tests are part of the process, so they do not apply if its thread never waits. */
function limitOf({ mutants, costs, hookMs }: Job, mutant: number): number {
  const tests = mutants.find((order) => order.mutant === mutant)?.tests ?? [];
  const ms = tests.reduce((sum, test) => sum + (costs[test]?.ms ?? 0), hookMs);
  return 20_000 + 15 * ms;
}

/** @param log receives the output of the processes */
export function createLane({ folder }: Mirror, log: (text: string) => void): Lane {
  return {
    async run(job, onAnswer) {
      writeFileSync(join(folder, 'mutation/job.json'), JSON.stringify(job));
      const child = Bun.spawn(
        [process.execPath, 'test', '--timeout', '2147483647', './test/mutation.test.ts'],
        {
          cwd: folder,
          env: { ...process.env, TMPDIR: join(folder, 'tmp'), NO_COLOR: '1' },
          stdout: 'pipe',
          stderr: 'pipe',
        },
      );
      let deadline = Date.now() + MAX_START_MS;
      let isStalled = false;
      const watch = setInterval(() => {
        if (Date.now() < deadline) return;
        isStalled = true;
        child.kill('SIGKILL');
      }, 1000);
      const read = async () => {
        for await (const line of linesOf(child.stdout)) {
          if (!line.startsWith(MARK)) continue;
          const answer: Answer = JSON.parse(line.slice(MARK.length));
          if ('start' in answer) deadline = Date.now() + limitOf(job, answer.start);
          onAnswer(answer);
        }
      };
      try {
        await Promise.all([read(), new Response(child.stderr).text().then(log), child.exited]);
      } finally {
        clearInterval(watch);
      }
      return isStalled ? 'stalled' : 'ended';
    },
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}
