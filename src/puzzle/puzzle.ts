/**
 * A puzzle and its binary format (wire version 1). All integers are little-endian.
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 1 | version, 1 |
 * | 1 | 16 | property id: the sitekey's bytes |
 * | 17 | 8 | puzzle id, random; 0 only in the test puzzle |
 * | 25 | 1 | difficulty, 0..255 |
 * | 26 | 1 | number of solutions required, 1..255 |
 * | 27 | 4 | expiration, Unix seconds; 0 only in the test puzzle |
 * | 31 | 16 | user data, random |
 *
 * @see docs/reference/protocol.md#puzzle
 */
export type Puzzle = {
  /** 16 bytes. */
  readonly propertyId: Uint8Array;
  /** 8 bytes. */
  readonly puzzleId: Uint8Array;
  /** Integer, 0..255. */
  readonly difficulty: number;
  /** Number of solutions that a payload must contain: integer, 1..255. */
  readonly solutionCount: number;
  /** Unix seconds, u32. */
  readonly expiresAtSeconds: number;
  /** 16 bytes. */
  readonly userData: Uint8Array;
};

const PUZZLE_VERSION = 1;
export const PUZZLE_SIZE = 47;
export const SOLUTION_COUNT = 16;

const PROPERTY_ID = 1;
const PUZZLE_ID = 17;
const DIFFICULTY = 25;
const SOLUTIONS = 26;
const EXPIRATION = 27;
const USER_DATA = 31;

/**
 * Writes the 47 bytes of a puzzle at `offset`.
 *
 * @throws RangeError if a field has the wrong size
 */
export function writePuzzle(puzzle: Puzzle, target: Uint8Array, offset = 0): void {
  expectSize('propertyId', puzzle.propertyId, 16);
  expectSize('puzzleId', puzzle.puzzleId, 8);
  expectSize('userData', puzzle.userData, 16);
  target[offset] = PUZZLE_VERSION;
  target.set(puzzle.propertyId, offset + PROPERTY_ID);
  target.set(puzzle.puzzleId, offset + PUZZLE_ID);
  target[offset + DIFFICULTY] = puzzle.difficulty;
  target[offset + SOLUTIONS] = puzzle.solutionCount;
  writeU32(target, offset + EXPIRATION, puzzle.expiresAtSeconds);
  target.set(puzzle.userData, offset + USER_DATA);
}

/**
 * Turns random bytes into a puzzle: overwrites all fields except the puzzle id and the user data.
 *
 * @param bytes 47 random bytes
 */
export function fillPuzzle(bytes: Uint8Array, fixed: Omit<Puzzle, 'puzzleId' | 'userData'>): void {
  bytes[0] = PUZZLE_VERSION;
  bytes.set(fixed.propertyId, PROPERTY_ID);
  bytes[DIFFICULTY] = fixed.difficulty;
  bytes[SOLUTIONS] = fixed.solutionCount;
  writeU32(bytes, EXPIRATION, fixed.expiresAtSeconds);
  // An id of zero is reserved for the test puzzle.
  if (readU32(bytes, PUZZLE_ID) === 0) bytes[PUZZLE_ID] = 1;
}

/** @returns 47 bytes @throws RangeError if a field has the wrong size */
export function toPuzzleBytes(puzzle: Puzzle): Uint8Array {
  const bytes = new Uint8Array(PUZZLE_SIZE);
  writePuzzle(puzzle, bytes);
  return bytes;
}

/**
 * The byte fields of the result are copies, which are cheaper than views of a new array.
 *
 * @returns undefined if the length is not 47, the version is not 1, or the number of solutions is 0
 */
export function parsePuzzle(bytes: Uint8Array): Puzzle | undefined {
  if (bytes.length !== PUZZLE_SIZE || bytes[0] !== PUZZLE_VERSION) return undefined;
  const solutionCount = bytes[SOLUTIONS] as number;
  if (solutionCount === 0) return undefined;
  return {
    propertyId: bytes.slice(PROPERTY_ID, PUZZLE_ID),
    puzzleId: bytes.slice(PUZZLE_ID, DIFFICULTY),
    difficulty: bytes[DIFFICULTY] as number,
    solutionCount,
    expiresAtSeconds: readU32(bytes, EXPIRATION),
    userData: bytes.slice(USER_DATA),
  };
}

/** Reads a little-endian u32. */
export function readU32(bytes: Uint8Array, offset: number): number {
  const low = (bytes[offset] as number) | ((bytes[offset + 1] as number) << 8);
  const high = (bytes[offset + 2] as number) | ((bytes[offset + 3] as number) << 8);
  return (low | (high << 16)) >>> 0;
}

/** Writes a little-endian u32. */
export function writeU32(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value;
  bytes[offset + 1] = value >>> 8;
  bytes[offset + 2] = value >>> 16;
  bytes[offset + 3] = value >>> 24;
}

function expectSize(name: string, bytes: Uint8Array, size: number): void {
  if (bytes.length !== size) {
    throw new RangeError(`${name} must be ${size} bytes, got ${bytes.length}`);
  }
}
