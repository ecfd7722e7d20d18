import { expect, test } from 'bun:test';
import { createUnanswered } from '../../src/lib/unanswered.ts';
import { withSeeds } from '../support/randomScheduler.ts';

type Answer = { readonly results: readonly number[] } | 'failed';

test('every message gets its own answer or a failure, in every order of answers, ends, and posts that throw', async () => {
  await withSeeds(1000, async ({ random, hold, mustSettle, run }) => {
    const unanswered = createUnanswered<Answer>(() => 'failed');
    const isOrdered = random(2) === 0;
    const sent: { readonly id: number; readonly values: readonly number[] }[] = [];
    let value = 0;
    const results: string[] = [];

    /** Some answers arrive twice. */
    async function answerSome(): Promise<void> {
      await hold();
      const at = isOrdered ? 0 : random(sent.length);
      const answered = sent.splice(at, 1 + random(3));
      const [first] = answered;
      if (first === undefined) return;
      const isConsecutive = answered.every(({ id }, i) => id === first.id + i);
      const parts = isConsecutive ? [answered] : answered.map((one) => [one]);
      for (const part of parts) {
        const answer = { results: part.flatMap(({ values }) => values) };
        const start = isOrdered ? undefined : part[0]?.id;
        unanswered.settle(answer, part.length, start);
        if (!isOrdered) unanswered.settle(answer, part.length, start);
      }
    }

    function send(): void {
      const values = Array.from({ length: random(3) }, () => ++value);
      const throws = random(5) === 0;
      const settled = new Promise<void>((resolve) => {
        unanswered.send(
          (id) => {
            if (throws) throw new Error('cannot be copied');
            sent.push({ id, values });
            void answerSome();
          },
          {
            size: values.length,
            settle(answer, offset) {
              const own = answer === 'failed' ? answer : answer.results.slice(offset, offset + values.length);
              if (own !== 'failed' && own.join() !== values.join())
                results.push(`${own} instead of ${values}`);
              resolve();
            },
          },
        );
      });
      mustSettle(`message ${values}`, settled).catch(() => {});
    }

    const end = () => unanswered.end('the thread ended');
    const quiet = () => void mustSettle('quiet', unanswered.quiet());
    const sends = Array.from({ length: 8 }, () => send);
    await run([
      ...sends,
      quiet,
      ...(random(2) === 0 ? [end] : []),
      ...sends,
      quiet,
      ...sends,
      end,
      send,
      quiet,
    ]);
    expect(results).toEqual([]);
  });
});
