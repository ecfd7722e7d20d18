import { type Allocate, openRegion } from '../lib/sharedMemory.ts';
import type { Claim } from '../model/ports/replayLedger.ts';
import type { CacheReading } from '../model/readings.ts';
import { readU32 } from '../puzzle/puzzle.ts';

export type SolvedPuzzle = Pick<Claim, 'puzzleId' | 'expiresAtSeconds'>;

/** A set is eight puzzles: the halves of their ids, which fill a cache line, their expirations, and their counts. */
const WAYS = 8;
const SET_SIZE = 4 * WAYS;
const COLUMN = { low: 0, high: WAYS, expiration: 2 * WAYS, count: 3 * WAYS } as const;
const MAX_COUNT = 2 ** 32 - 1;

/** Three numbers before the sets, which are aligned to a cache line. */
const NUMBERS = 8;
const [ENTRIES, HITS, MISSES] = [0, 1, 2] as const;

/**
 * The verifications of recent puzzles, in memory that threads may share.
 *
 * A new puzzle in a full set of eight replaces the one that expires first: an expired puzzle is rejected without the cache.
 *
 * The layout differs from that of `lib/flatTable.ts`, whose keys have 53 bits: with a part of the id, the cache would reject a new solution
 * if another puzzle had the same part and expiration, and a lookup would take 10 to 18 ns more (27 to 37 ns here).
 *
 * @param capacity number of puzzles, rounded up to eight times a power of two; 16 bytes each
 */
export function createReplayCache(capacity: number, allocate: Allocate) {
  const sets = 2 ** Math.ceil(Math.log2(Math.max(capacity, WAYS) / WAYS));
  const { acquire, release, cells } = openRegion(allocate, NUMBERS + (sets * SET_SIZE) / 2);
  const numbers = cells.subarray(0, NUMBERS);
  const words = new Uint32Array(cells.buffer, cells.byteOffset + numbers.byteLength, sets * SET_SIZE);
  const setOf = (low: number) => (low & (sets - 1)) * SET_SIZE;

  /** An unused row contains zeros, and therefore the count 0. @returns the index of a puzzle's row in the first column; -1 if it has none */
  function find(set: number, low: number, high: number, expiration: number): number {
    for (let row = set; row < set + WAYS; row++) {
      if (words[row] !== low || words[row + COLUMN.high] !== high) continue;
      if (words[row + COLUMN.expiration] === expiration) return row;
    }
    return -1;
  }

  /** @returns the first unused row; if there is none, the one that expires first */
  function victimIn(set: number): number {
    let victim = set;
    let earliest = Number.POSITIVE_INFINITY;
    for (let row = set; row < set + WAYS; row++) {
      if (words[row + COLUMN.count] === 0) return row;
      const expiration = words[row + COLUMN.expiration] as number;
      if (expiration < earliest) {
        earliest = expiration;
        victim = row;
      }
    }
    return victim;
  }

  function countOf({ puzzleId, expiresAtSeconds }: SolvedPuzzle): number {
    const low = readU32(puzzleId, 0);
    const row = find(setOf(low), low, readU32(puzzleId, 4), expiresAtSeconds);
    return row < 0 ? 0 : (words[row + COLUMN.count] as number);
  }

  /** Clears the count first: if the thread ends in the middle, no puzzle has the count of another. */
  function createRow({ puzzleId, expiresAtSeconds }: SolvedPuzzle): number {
    const low = readU32(puzzleId, 0);
    const row = victimIn(setOf(low));
    if (words[row + COLUMN.count] === 0) numbers[ENTRIES] = (numbers[ENTRIES] as number) + 1;
    words[row + COLUMN.count] = 0;
    words[row] = low;
    words[row + COLUMN.high] = readU32(puzzleId, 4);
    words[row + COLUMN.expiration] = expiresAtSeconds;
    return row;
  }

  return {
    /** @returns how often a puzzle was verified, as far as the cache knows */
    count(puzzle: SolvedPuzzle): number {
      acquire();
      const count = countOf(puzzle);
      release();
      return count;
    },
    /** Like `count`, and counts a hit if the puzzle was verified at least `maxCount` times; otherwise a miss. */
    lookUp(puzzle: SolvedPuzzle, maxCount: number): number {
      acquire();
      const count = countOf(puzzle);
      const result = count >= maxCount ? HITS : MISSES;
      numbers[result] = (numbers[result] as number) + 1;
      release();
      return count;
    },
    /** Records how often a puzzle was verified. Counts may arrive in any order; the highest one remains. */
    store(puzzle: SolvedPuzzle, count: number): void {
      const { puzzleId, expiresAtSeconds } = puzzle;
      const low = readU32(puzzleId, 0);
      acquire();
      const known = find(setOf(low), low, readU32(puzzleId, 4), expiresAtSeconds);
      const row = known < 0 ? createRow(puzzle) : known;
      words[row + COLUMN.count] = Math.min(Math.max(words[row + COLUMN.count] as number, count), MAX_COUNT);
      release();
    },
    read(): CacheReading {
      acquire();
      const entries = numbers[ENTRIES] as number;
      const lookups = { hits: numbers[HITS] as number, misses: numbers[MISSES] as number };
      release();
      return { entries, capacity: sets * WAYS, lookups };
    },
  };
}
