import { cellsFor, createFlatTable } from '../lib/flatTable.ts';
import { type Allocate, allocateOwn, openRegion } from '../lib/sharedMemory.ts';
import { type Puzzle, readU32 } from '../puzzle/puzzle.ts';

/** The wrong payloads of puzzles whose solutions are expensive to check. */
export type PuzzleFailures = ReturnType<typeof createPuzzleFailures>;

/**
 * Number of wrong payloads for one puzzle after which others are rejected without hashing. Otherwise, a visitor could solve all but the
 * last solution once and make the server hash them again and again. A widget never sends a wrong solution.
 */
const MAX_FAILURES = 3;
/** Number of puzzles whose failures are remembered, rounded up to 16,384; 24 bytes each. */
const CAPACITY = 10_000;

/** The cells of a row. */
const COLUMN = { expiration: 0, failures: 1 } as const;
const COLUMNS = 2;
/** The high bits of a puzzle id that fit into a key of 52 bits. */
const HIGH_BITS = 0x000f_ffff;

/**
 * Counts the wrong payloads of puzzles, in memory that threads may share. A new puzzle in a full set of eight replaces the one that expires
 * first.
 */
export function createPuzzleFailures(allocate: Allocate = allocateOwn) {
  const { acquire, release, cells } = openRegion(allocate, cellsFor(CAPACITY, COLUMNS));
  const table = createFlatTable({
    cells,
    columns: COLUMNS,
    rankOf: (row) => cells[row + COLUMN.expiration] as number,
  });
  return {
    /** Whether all further payloads of the puzzle are rejected. */
    isBlocked({ puzzleId }: Pick<Puzzle, 'puzzleId'>): boolean {
      acquire();
      const row = table.peek(keyOf(puzzleId));
      const failures = row < 0 ? 0 : (cells[row + COLUMN.failures] as number);
      release();
      return failures >= MAX_FAILURES;
    },
    /** Counts a wrong payload. */
    add({ puzzleId, expiresAtSeconds }: Pick<Puzzle, 'puzzleId' | 'expiresAtSeconds'>): void {
      acquire();
      const row = table.row(keyOf(puzzleId));
      cells[row + COLUMN.expiration] = expiresAtSeconds;
      cells[row + COLUMN.failures] = (cells[row + COLUMN.failures] as number) + 1;
      release();
    },
  };
}

/** Puzzle ids are random, and the server chooses them, so 52 of their 64 bits identify a puzzle. */
function keyOf(puzzleId: Uint8Array): number {
  return (readU32(puzzleId, 4) & HIGH_BITS) * 2 ** 32 + readU32(puzzleId, 0);
}
