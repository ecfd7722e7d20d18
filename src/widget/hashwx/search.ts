import { hash256 } from '../blake2b.ts';
import type { Solver } from '../solver.ts';
import type { Words } from './programs.ts';

/**
 * Searches for the first nonce whose hash has an upper half of at most the threshold.
 *
 * @param start the first nonce, 0..65535
 * @param count number of nonces, at least 1; `start + count` is at most 65536
 * @param threshold u32
 * @returns the number of attempts including the successful attempt; 0 if none was successful
 */
export type Search = (start: number, count: number, threshold: number) => number;

/** Opens the search of a seed, four words. At any time, only the last search can be used. */
export type OpenSearch = (seed: Words) => Search;

/** Number of nonces that have the same programs. */
const NONCES = 65_536;

/**
 * Creates a solver of HashWX puzzles. The lower half of its counter is the nonce. The upper half is the lower half of the block; bytes 1 and
 * 2 of the prefix are the upper half.
 *
 * @see toSolution
 */
export function createSolver(open: OpenSearch, usesWasm: boolean): Solver {
  const block = new Uint8Array(128);
  const seedOf = (prefix: number, counter: number): Words => {
    const solution = toSolution(
      Uint8Array.of(prefix, prefix >> 8, prefix >> 16, 0, 0, 0, counter >> 16, counter >> 24),
    );
    block.set(solution, 120);
    return hash256(block);
  };
  let search: Search;
  return {
    usesWasm,
    load: (puzzle) => block.set(puzzle),
    searchRange(prefix, first, count, threshold) {
      for (let start = first; start < first + count; ) {
        const nonce = start % NONCES;
        // A search starts with counter 0.
        if (!nonce) search = open(seedOf(prefix, start));
        const length = Math.min(first + count - start, NONCES - nonce);
        const attempts = search(nonce, length, threshold);
        if (attempts) return start - first + attempts;
        start += length;
      }
      return 0;
    },
  };
}

/**
 * Converts a solution from the order of other puzzles, where the prefix precedes the counter.
 *
 * @returns index, 0, nonce (u16), block (u32), little-endian
 */
export function toSolution(found: Uint8Array): Uint8Array {
  const [index = 0, low = 0, high = 0, , nonceLow = 0, nonceHigh = 0, blockLow = 0, blockHigh = 0] = found;
  return Uint8Array.of(index, 0, nonceLow, nonceHigh, blockLow, blockHigh, low, high);
}

/** Hashes per millisecond. With a JIT compiler, a laptop computes 12 to 32, and a slow phone 4; without one, 0.9 and 0.1. */
const MIN_SPEED = 2;

/** Long enough for a slow phone to compile the interpreter. */
const MEASURED_MS = 1000;

/**
 * Measures the speed of a solver in the first second of its searches. If it is too slow, the search throws: without a JIT compiler,
 * BLAKE2b puzzles do not take longer. The fastest search counts, because the device may be busy.
 */
export function requireSpeed(solver: Solver, now: () => number): Solver {
  let elapsedMs = 0;
  let speed = 0;
  return {
    ...solver,
    searchRange(prefix, start, count, threshold) {
      const startedAt = now();
      const attempts = solver.searchRange(prefix, start, count, threshold);
      const searchMs = now() - startedAt;
      // Some browsers round the time to 100 ms.
      if (searchMs > 0) speed = Math.max(speed, (attempts || count) / searchMs);
      elapsedMs += searchMs;
      if (elapsedMs >= MEASURED_MS && speed < MIN_SPEED) throw new Error(`${speed.toFixed(2)} hashes per ms`);
      return attempts;
    },
  };
}
