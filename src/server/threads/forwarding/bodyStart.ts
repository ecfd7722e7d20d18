export type BodyReader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

export type BodyRead = ReturnType<BodyReader['read']>;

/** What was available of a body when the first message was sent. */
export type BodyStart = {
  readonly chunks: readonly Uint8Array[];
  /** The next read, which is still waiting or exceeds the limit; undefined if the chunks are the complete body. */
  readonly next: BodyRead | undefined;
};

/**
 * Reads a body as long as its next chunk is available.
 *
 * @param limit in bytes; the chunks exceed it by at most one chunk
 * @param isAvailable waits as long as the caller wants to wait for a chunk
 */
export async function readStart(
  reader: BodyReader,
  limit: number,
  isAvailable: (next: BodyRead) => Promise<boolean>,
): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const next = reader.read();
    // The sender of the body handles the error.
    next.catch(() => {});
    if (size > limit || !(await isAvailable(next)) || isRejected(next)) return { chunks, next };
    const { value } = await next;
    if (value === undefined) return { chunks, next: undefined };
    chunks.push(value);
    size += value.length;
  }
}

/** Waits one turn of the event loop: bytes that arrived together with the headers are available then. */
export async function isAvailableNextTurn(next: BodyRead): Promise<boolean> {
  if (isPending(next)) await new Promise(setImmediate);
  return !isPending(next);
}

/**
 * Waits one microtask, which is enough for each chunk of a body in memory, and for its end. A stream that reads from a database takes
 * longer, even if the database is in this process.
 */
export async function isAvailableNow(next: BodyRead): Promise<boolean> {
  if (isPending(next)) await undefined;
  return !isPending(next);
}

/** Waits for every chunk. */
export async function isAvailableLater(next: BodyRead): Promise<boolean> {
  await next.catch(() => {});
  return true;
}

function isPending(next: BodyRead): boolean {
  return Bun.peek.status(next) === 'pending';
}

function isRejected(next: BodyRead): boolean {
  return Bun.peek.status(next) === 'rejected';
}

/** @returns the bytes of all chunks in a buffer of their own, which can move to another thread */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let size = 0;
  for (const chunk of chunks) size += chunk.length;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
