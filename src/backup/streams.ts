import type { FileHandle } from 'node:fs/promises';

/** A file is not a valid backup, or cannot be decrypted. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}

/** A stream of binary data. */
export type Bytes = ReadableStream<Uint8Array>;

/**
 * Reads the first bytes of a stream.
 *
 * @returns `start`: at least `size` bytes unless the stream is shorter; `whole`: a stream of all bytes, including these
 */
export async function splitStart(
  bytes: Bytes,
  size: number,
): Promise<{ readonly start: Uint8Array; readonly whole: Bytes }> {
  const reader = bytes.getReader();
  let start = new Uint8Array();
  while (start.length < size) {
    const { done, value } = await reader.read();
    if (done) break;
    start = Uint8Array.from(Buffer.concat([start, value]));
  }
  let isFirst = true;
  const whole = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isFirst) {
        isFirst = false;
        if (start.length > 0) return controller.enqueue(start);
      }
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { start, whole };
}

/** Appends a chunk to a file. @throws if the disk is full */
export async function appendTo(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, at, chunk.length - at);
    at += bytesWritten;
  }
}
