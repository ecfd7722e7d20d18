import { createLock, LOCK_CELLS, type Lock } from './lock.ts';
import type { Allocate } from './sharedMemory.ts';
import { createSharedTime, type Instant } from './time.ts';

/** Numbers that threads may share, the lock that protects them, and their clock. All state is in one buffer. */
export type Region = Lock & {
  readonly cells: Float64Array;
  /** See createSharedTime; call it only while holding the lock. */
  readonly steady: (now: Instant) => Instant;
};

/** Eight numbers, so that the header and each set of a table begin at a cache line: the lock, and the two numbers of the clock. */
const HEADER_BYTES = 64;
const TIME_OFFSET = 8;

/** @param length number of cells, which are 0 at first */
export function openRegion(allocate: Allocate, length: number): Region {
  const buffer = allocate(HEADER_BYTES + length * Float64Array.BYTES_PER_ELEMENT);
  return {
    ...createLock(new Int32Array(buffer, 0, LOCK_CELLS)),
    steady: createSharedTime(new Float64Array(buffer, TIME_OFFSET, 2)),
    cells: new Float64Array(buffer, HEADER_BYTES),
  };
}
