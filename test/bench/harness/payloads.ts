import { appendFileSync, closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { BenchError } from './cleanup.ts';

/** A file with solved payloads, one per line, all of the same length. It grows when a benchmark needs more of them. */
export type PayloadFile = {
  readonly path: string;
  /** Bytes of a payload, without the line break. */
  readonly length: number;
  /**
   * Waits until the file has this many payloads and is on disk. If the kernel wrote the file during the measurement, the
   * server's commits would wait for these writes.
   */
  readonly ensure: (count: number) => Promise<void>;
};

/** Payloads that are created before other tasks of this process get a turn. */
const CHUNK = 2000;
/** Half of the disk space that a typical temporary folder has. */
const MAX_PAYLOADS = 12_000_000;

/** @param newPayload returns a different payload each time */
export function createPayloadFile(path: string, newPayload: () => string): PayloadFile {
  const { length } = newPayload();
  let available = 0;
  writeFileSync(path, '');
  return {
    path,
    length,
    async ensure(count) {
      if (count > MAX_PAYLOADS) throw new BenchError(`more than ${MAX_PAYLOADS} payloads are needed`);
      if (available >= count) return;
      while (available < count) {
        const chunk = Array.from({ length: CHUNK }, newPayload);
        if (chunk.some((payload) => payload.length !== length))
          throw new Error('the lengths of payloads differ');
        appendFileSync(path, `${chunk.join('\n')}\n`);
        available += CHUNK;
        await Bun.sleep(0);
      }
      syncFile(path);
    },
  };
}

/** Waits until the file is on disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
