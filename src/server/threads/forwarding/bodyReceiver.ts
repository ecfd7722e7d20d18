import type { FromBodyReceiver } from './messages.ts';

/** A body that arrives from another thread. */
export type BodyReceiver = {
  /** Requests more parts only as fast as its reader reads. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly add: (bytes: Uint8Array) => void;
  readonly end: () => void;
  /** Ends the stream with an error after the parts that have arrived, unless it is complete. */
  readonly fail: (error: Error) => void;
};

/**
 * Wakers: a read waits for `add`, `end`, `fail`, or the cancellation of the stream. The owner calls `fail` when the client disconnects or
 * the other thread ends.
 *
 * @param send receives the messages to the thread that sends the body
 */
export function createBodyReceiver(id: number, send: (message: FromBodyReceiver) => void): BodyReceiver {
  const parts: Uint8Array[] = [];
  let state: 'open' | 'ended' | 'canceled' | Error = 'open';
  /** The read that waits for a part. */
  let waiting: (() => void) | undefined;

  function settle(next: typeof state): void {
    if (state !== 'open') return;
    state = next;
    waiting?.();
  }

  /** @returns false if a read has to wait */
  function deliver(controller: ReadableStreamDefaultController<Uint8Array>): boolean {
    const part = parts.shift();
    if (part !== undefined) {
      controller.enqueue(part);
      if (state === 'open') send({ kind: 'read', id });
    } else if (state === 'open') return false;
    else if (state === 'ended') controller.close();
    else if (state !== 'canceled') controller.error(state);
    return true;
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (deliver(controller)) return;
        await new Promise<void>((resolve) => {
          waiting = resolve;
        });
        waiting = undefined;
        deliver(controller);
      },
      cancel() {
        parts.length = 0;
        if (state !== 'open') return;
        settle('canceled');
        send({ kind: 'unwanted', id });
      },
    },
    { highWaterMark: 0 },
  );

  return {
    stream,
    add(bytes) {
      if (state !== 'open') return;
      parts.push(bytes);
      waiting?.();
    },
    end: () => settle('ended'),
    fail: (error) => settle(error),
  };
}
