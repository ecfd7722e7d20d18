/**
 * Which puzzles may be in the table `claims`, so that almost every new puzzle is counted without a lookup: a lookup takes 1.2 µs, a third
 * of the time of a claim without `fsync`. Puzzles expire in about the order in which they were issued, so a puzzle that expires later than
 * all puzzles in the table is not in it. A Bloom filter (Burton H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors",
 * 1970) answers for the puzzles that were moved since `reset`, because those of properties with a longer validity expire much later.
 */
export type MovedPuzzles = ReturnType<typeof createMovedPuzzles>;

/** Size of the filter: 1 MiB, which is allocated when the first puzzle is moved. */
const BITS = 2 ** 23;
/** Number of puzzles in the filter. When it is full, 5% of the new puzzles still need a lookup. */
const CAPACITY = 2 ** 20;

/** @param expirationIn the expiration in a key, in Unix seconds @param capacity maximum number of puzzles in the filter */
export function createMovedPuzzles(expirationIn: (key: string) => number, capacity = CAPACITY) {
  let words: Uint32Array | undefined;
  let size = 0;
  /** The latest expiration of the puzzles in the table. */
  let latest = 0;
  /** Puzzles that expire later are in the table only if they are in the filter. */
  let unknownUntil = 0;

  function reset(latestInTable: number): void {
    words = undefined;
    size = 0;
    latest = latestInTable;
    unknownUntil = latestInTable;
  }

  return {
    /** Call this if the table may have changed in another way. @param latestInTable the latest expiration of its puzzles; 0 if it is empty */
    reset,
    /** Call this for each puzzle that is moved, even if its transaction fails afterward. */
    add(key: string): void {
      latest = Math.max(latest, expirationIn(key));
      if (size === capacity) reset(latest);
      words ??= new Uint32Array(BITS / 32);
      size++;
      for (const bit of [firstBit(key), secondBit(key)])
        words[bit >>> 5] = (words[bit >>> 5] as number) | (1 << (bit & 31));
    },
    /** @returns false if the puzzle is not in the table */
    mayContain(key: string): boolean {
      const expiration = expirationIn(key);
      if (expiration <= unknownUntil) return true;
      return (
        expiration <= latest && words !== undefined && has(words, firstBit(key)) && has(words, secondBit(key))
      );
    },
  };
}

function has(words: Uint32Array, bit: number): boolean {
  return ((words[bit >>> 5] as number) & (1 << (bit & 31))) !== 0;
}

/** The id of a puzzle is random, so its two halves are independent hashes. */
function firstBit(key: string): number {
  return ((key.charCodeAt(2) << 16) | key.charCodeAt(3)) & (BITS - 1);
}

function secondBit(key: string): number {
  return ((key.charCodeAt(4) << 16) | key.charCodeAt(5)) & (BITS - 1);
}
