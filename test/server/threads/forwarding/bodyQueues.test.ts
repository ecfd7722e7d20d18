import { expect, test } from 'bun:test';
import {
  createBodyReceiver,
  createBodySender,
  PART_BYTES,
} from '../../../../src/server/threads/forwarding/bodyTransfer.ts';
import { withSeeds } from '../../../support/randomScheduler.ts';

test('a body between two threads ends for its reader, in every order of parts, reads, cancellations, and failures', async () => {
  await withSeeds(400, async ({ random, hold, holdOrFail, mustSettle, run }) => {
    const chunks = Array.from({ length: random(5) }, () => new Uint8Array(1 + random(3 * PART_BYTES)));
    const size = chunks.reduce((sum, { length }) => sum + length, 0);
    const mayFail = random(3) === 0;
    const reader = {
      async read() {
        await (mayFail ? holdOrFail() : hold());
        return { value: chunks.shift(), done: chunks.length === 0 } as never;
      },
      cancel: async () => {},
    };

    /** Calls arrive in their order, some time later. */
    function createLink() {
      let last = Promise.resolve();
      return (call: () => void): void => {
        const before = last;
        last = hold()
          .then(() => before)
          .then(call);
      };
    }

    const [toSender, toReceiver] = [createLink(), createLink()];
    let unread = 0;
    const receiver = createBodyReceiver({
      allowPart() {
        toSender(() => {
          unread--;
          sender.allowPart();
        });
      },
      stop: () => toSender(() => sender.stop()),
    });
    const sender = createBodySender(
      reader,
      { chunks: [], next: reader.read() },
      {
        add(bytes) {
          expect(++unread).toBeLessThanOrEqual(2);
          toReceiver(() => receiver.add(bytes));
        },
        end: () => toReceiver(receiver.end),
        fail: (error) => toReceiver(() => receiver.fail(error)),
      },
    );

    const output = receiver.stream.getReader();
    async function readAll(): Promise<number> {
      let total = 0;
      for (;;) {
        const { value } = await output.read();
        if (value === undefined) return total;
        total += value.length;
        await hold();
      }
    }

    /** The client disconnects, or its thread ends. */
    const disturbances = [
      () => void mustSettle('cancel', output.cancel()),
      () => {
        sender.stop();
        receiver.fail(new Error('the thread ended'));
      },
    ];
    const disturbance = random(3) === 0 ? disturbances[random(2)] : undefined;
    const reading = mustSettle('read', readAll());
    reading.catch(() => {});
    await run(disturbance === undefined ? [] : [() => {}, () => {}, disturbance]);
    if (disturbance === undefined && !mayFail) expect(await reading).toBe(size);
  });
});
