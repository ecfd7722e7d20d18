import { reasonOf } from '../../../lib/log.ts';
import type { BodyReader, BodyStart } from './bodyStart.ts';
import { type FromBodySender, PART_BYTES, WINDOW_PARTS } from './messages.ts';

/** Sends a body to another thread, at most WINDOW_PARTS parts ahead of its reader. */
export type BodySender = {
  /** Call this when the other thread has read a part. */
  readonly allowPart: () => void;
  /** Stops sending, and cancels the source. */
  readonly stop: () => void;
};

/**
 * Starts to send a body.
 *
 * Wakers: the sender waits for its source, or for `allowPart`; `stop` ends both waits. The owner calls `stop` when the client disconnects,
 * when the response is complete, or when the other thread ends.
 *
 * @param start what was already read from the reader
 * @param send receives the messages, and after the last part or an error either `end` or `broken`
 */
export function createBodySender(
  id: number,
  reader: BodyReader,
  start: BodyStart,
  send: (message: FromBodySender) => void,
): BodySender {
  let allowed = WINDOW_PARTS;
  let isStopped = false;
  let wake: () => void = () => {};

  async function sendChunk(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length && !isStopped; at += PART_BYTES) {
      while (allowed === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (isStopped) return;
      }
      allowed--;
      // A copy, because the chunk may belong to the application, and its buffer may be larger.
      send({ kind: 'part', id, bytes: new Uint8Array(chunk.subarray(at, at + PART_BYTES)) });
    }
  }

  async function sendAll(): Promise<void> {
    for (const chunk of start.chunks) await sendChunk(chunk);
    for (let next = start.next; next !== undefined; next = isStopped ? undefined : reader.read()) {
      const { value } = await next;
      if (value === undefined) break;
      await sendChunk(value);
    }
    if (!isStopped) send({ kind: 'end', id });
  }

  sendAll().catch((error) => {
    if (!isStopped) send({ kind: 'broken', id, reason: reasonOf(error) });
  });

  return {
    allowPart() {
      allowed++;
      wake();
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      wake();
      reader.cancel().catch(() => {});
    },
  };
}
