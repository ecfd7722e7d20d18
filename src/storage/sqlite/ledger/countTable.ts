/** A puzzle, and how often it was presented. All numbers are u32; the id is two of them. */
export type PuzzleCount = {
  readonly expiresAt: number;
  readonly idHigh: number;
  readonly idLow: number;
  /** At least 1. */
  readonly count: number;
};

/** How often puzzles were presented, in memory. */
export type CountTable = {
  /** @returns 0 if the puzzle has no count */
  readonly get: (expiresAt: number, idHigh: number, idLow: number) => number;
  readonly set: (expiresAt: number, idHigh: number, idLow: number, count: number) => void;
  /** Number of puzzles. */
  readonly size: () => number;
  /** The earliest expiration of a puzzle; Infinity without puzzles. */
  readonly earliest: () => number;
  /** @returns the slots of all puzzles, ordered by expiration and by the first bits of the id. Valid until the next `set` */
  readonly sortedSlots: () => Float64Array;
  readonly at: (slot: number) => PuzzleCount;
};

/** The columns of a slot. */
const [EXPIRES_AT, ID_HIGH, ID_LOW, COUNT, COLUMNS] = [0, 1, 2, 3, 4] as const;
const FIRST_SLOTS = 1024;

/** The maximum validity is 48 hours, which is less than 2^18 seconds. */
const EXPIRATION_BITS = 18;
/** Integers up to 2^53 are exact. */
const KEY_BITS = 53;

/** Creates a hash table with linear probing (Knuth, "The Art of Computer Programming", volume 3, section 6.4) that is at most half full. */
export function createCountTable(): CountTable {
  let cells = new Uint32Array(FIRST_SLOTS * COLUMNS);
  let size = 0;

  /** @returns the first cell of the puzzle, or of the free slot where it belongs */
  function find(expiresAt: number, idHigh: number, idLow: number): number {
    const mask = cells.length - 1;
    // The bits of an id are random, so they need no hash function.
    let cell = (idLow * COLUMNS) & mask;
    while (cells[cell + COUNT] !== 0) {
      const isFound = cells[cell + ID_LOW] === idLow && cells[cell + ID_HIGH] === idHigh;
      if (isFound && cells[cell + EXPIRES_AT] === expiresAt) break;
      cell = (cell + COLUMNS) & mask;
    }
    return cell;
  }

  function set(expiresAt: number, idHigh: number, idLow: number, count: number): void {
    const cell = find(expiresAt, idHigh, idLow);
    if (cells[cell + COUNT] === 0) size++;
    cells[cell + EXPIRES_AT] = expiresAt;
    cells[cell + ID_HIGH] = idHigh;
    cells[cell + ID_LOW] = idLow;
    cells[cell + COUNT] = count;
    if (2 * size * COLUMNS > cells.length) grow();
  }

  function grow(): void {
    const old = cells;
    cells = new Uint32Array(2 * old.length);
    size = 0;
    for (let cell = 0; cell < old.length; cell += COLUMNS) {
      const { expiresAt, idHigh, idLow, count } = readCount(old, cell);
      if (count !== 0) set(expiresAt, idHigh, idLow, count);
    }
  }

  return {
    get: (expiresAt, idHigh, idLow) => cells[find(expiresAt, idHigh, idLow) + COUNT] as number,
    set,
    size: () => size,
    earliest: () => earliestIn(cells),
    sortedSlots: () => sortSlots(cells, size),
    at: (slot) => readCount(cells, slot * COLUMNS),
  };
}

function readCount(cells: Uint32Array, cell: number): PuzzleCount {
  return {
    expiresAt: cells[cell + EXPIRES_AT] as number,
    idHigh: cells[cell + ID_HIGH] as number,
    idLow: cells[cell + ID_LOW] as number,
    count: cells[cell + COUNT] as number,
  };
}

/**
 * Sorts numbers, which takes a fraction of the time of sorting objects. Each number consists of an expiration relative to the earliest
 * one, the first bits of an id, and a slot.
 */
function sortSlots(cells: Uint32Array, size: number): Float64Array {
  const slots = cells.length / COLUMNS;
  const idBits = KEY_BITS - EXPIRATION_BITS - Math.log2(slots);
  const earliest = earliestIn(cells);
  const keys = new Float64Array(size);
  let used = 0;
  for (let slot = 0; slot < slots; slot++) {
    const cell = slot * COLUMNS;
    if (cells[cell + COUNT] === 0) continue;
    // A greater difference affects only the order of the slots.
    const expiration = Math.min((cells[cell + EXPIRES_AT] as number) - earliest, 2 ** EXPIRATION_BITS - 1);
    const idStart = (cells[cell + ID_HIGH] as number) >>> (32 - idBits);
    keys[used++] = (expiration * 2 ** idBits + idStart) * slots + slot;
  }
  return keys.sort().map((key) => key % slots);
}

function earliestIn(cells: Uint32Array): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let cell = 0; cell < cells.length; cell += COLUMNS) {
    if (cells[cell + COUNT] !== 0) earliest = Math.min(earliest, cells[cell + EXPIRES_AT] as number);
  }
  return earliest;
}
