import { expect, test } from 'bun:test';
import {
  type BodyReceiver,
  createBodyReceiver,
} from '../../../../src/server/threads/forwarding/bodyReceiver.ts';
import { type BodySender, createBodySender } from '../../../../src/server/threads/forwarding/bodySender.ts';
import { type FromBodySender, PART_BYTES } from '../../../../src/server/threads/forwarding/messages.ts';
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

    /** Messages arrive in their order, some time later. */
    function link<Message>(receive: (message: Message) => void): (message: Message) => void {
      let last = Promise.resolve();
      return (message) => {
        const before = last;
        last = hold()
          .then(() => before)
          .then(() => receive(message));
      };
    }

    const ends: { sender?: BodySender; receiver?: BodyReceiver } = {};
    let unread = 0;
    ends.receiver = createBodyReceiver(
      1,
      link(({ kind }) => {
        if (kind === 'read') unread--;
        if (kind === 'read') ends.sender?.allowPart();
        else ends.sender?.stop();
      }),
    );
    const send = link((message: FromBodySender) => {
      if (message.kind === 'part') ends.receiver?.add(message.bytes);
      else if (message.kind === 'end') ends.receiver?.end();
      else ends.receiver?.fail(new Error(message.reason));
    });
    ends.sender = createBodySender(1, reader, { chunks: [], next: reader.read() }, (message) => {
      if (message.kind === 'part') expect(++unread).toBeLessThanOrEqual(2);
      send(message);
    });

    const output = ends.receiver.stream.getReader();
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
        ends.sender?.stop();
        ends.receiver?.fail(new Error('the thread ended'));
      },
    ];
    const disturbance = random(3) === 0 ? disturbances[random(2)] : undefined;
    const reading = mustSettle('read', readAll());
    reading.catch(() => {});
    await run(disturbance === undefined ? [] : [() => {}, () => {}, disturbance]);
    if (disturbance === undefined && !mayFail) expect(await reading).toBe(size);
  });
});
