import { reasonOf } from '../../../lib/log.ts';
import type { RemoteThread } from '../../../threads/protocol.ts';
import type { BodyReader, BodyStart } from './bodyStart.ts';

/** The maximum size of a part of a body, in bytes. */
export const PART_BYTES = 32 * 1024;

/** Number of parts that a thread sends before the other thread has read one: at most 64 KiB per request and direction. */
const WINDOW_PARTS = 2;

/** Sends a body, at most WINDOW_PARTS parts ahead of its reader. */
export type BodySender = {
  /** The receiver has read a part. */
  readonly allowPart: () => void;
  /** Stops sending, and cancels the source. */
  readonly stop: () => void;
};

/** Receives a body. */
export type BodyReceiver = {
  /** Adds a part of at most PART_BYTES. */
  readonly add: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly end: () => void;
  /** Ends the body with an error after the parts that have arrived, unless it is complete. */
  readonly fail: (error: Error) => void;
};

/** The functions that each of two threads calls for the bodies that it sends and receives, by the number of their request. */
export type BodyMethods = {
  readonly addPart: (part: { readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }) => void;
  readonly endBody: (id: number) => void;
  readonly failBody: (failure: { readonly id: number; readonly reason: string }) => void;
  readonly allowPart: (id: number) => void;
  readonly stopBody: (id: number) => void;
};

type OtherThread = Pick<RemoteThread<BodyMethods>, 'notify'>;

/** @returns the sender of a body on another thread */
export function remoteSender({ notify }: OtherThread, id: number): BodySender {
  return { allowPart: () => notify('allowPart', id), stop: () => notify('stopBody', id) };
}

/**
 * @param onEnd called when the body has ended or failed
 * @returns the receiver of a body on another thread; the buffers of the parts move to it
 */
export function remoteReceiver({ notify }: OtherThread, id: number, onEnd: () => void): BodyReceiver {
  return {
    add: (bytes) => notify('addPart', { id, bytes }, [bytes.buffer]),
    end() {
      onEnd();
      notify('endBody', id);
    },
    fail(error) {
      onEnd();
      notify('failBody', { id, reason: reasonOf(error) });
    },
  };
}

/**
 * Wakers: a read waits for `add`, `end`, `fail`, or the cancellation of the stream. The owner calls `fail` when the client disconnects or
 * the other thread ends.
 *
 * @param sender sends the body to the result
 * @returns also the body, which requests more parts only as fast as its reader reads
 */
export function createBodyReceiver(
  sender: BodySender,
): BodyReceiver & { readonly stream: ReadableStream<Uint8Array> } {
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
      if (state === 'open') sender.allowPart();
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
        sender.stop();
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
    fail: settle,
  };
}

/**
 * Starts to send a body.
 *
 * Wakers: the sender waits for its source, or for `allowPart`; `stop` ends both waits. The owner calls `stop` when the client disconnects,
 * when the response is complete, or when the other thread ends.
 *
 * @param start what was already read from the reader
 * @param receiver after the last part or an error, either `end` or `fail` is called
 */
export function createBodySender(reader: BodyReader, start: BodyStart, receiver: BodyReceiver): BodySender {
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
      receiver.add(new Uint8Array(chunk.subarray(at, at + PART_BYTES)));
    }
  }

  async function sendAll(): Promise<void> {
    for (const chunk of start.chunks) await sendChunk(chunk);
    for (let next = start.next; next !== undefined; next = isStopped ? undefined : reader.read()) {
      const { value } = await next;
      if (value === undefined) break;
      await sendChunk(value);
    }
    if (!isStopped) receiver.end();
  }

  sendAll().catch((error) => {
    if (!isStopped) receiver.fail(error);
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
