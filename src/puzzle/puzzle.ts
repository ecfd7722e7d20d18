/**
 * A puzzle and its binary format. All integers are little-endian. Versions 2 and 3 have an additional byte for the kind of work.
 *
 * | offset in version 1 | in versions 2 and 3 | bytes | field |
 * |---|---|---|---|
 * | 0 | 0 | 1 | version, 1 to 3 |
 * | – | 1 | 1 | challenge: 0 BLAKE2b, 1 argon2id, 2 HashWX |
 * | 1 | 2 | 16 | property id: the sitekey's bytes |
 * | 17 | 18 | 8 | puzzle id, random; 0 only in the test puzzle |
 * | 25 | 26 | 1 | difficulty, 0..255 |
 * | 26 | 27 | 1 | number of solutions required, 1..255 |
 * | 27 | 28 | 4 | expiration, Unix seconds; 0 only in the test puzzle |
 * | 31 | 32 | 16 | user data: 8 random bytes, and 8 bytes that look random to everyone but the server |
 *
 * @see docs/reference/protocol.md#puzzle
 */
export type Puzzle = PuzzleKind & {
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

/** The kind of work that a puzzle requires. */
export type Challenge = 'blake2b' | 'argon2id' | 'hashwx';

/**
 * The format of a puzzle and its kind of work. Version 1 has no byte for the kind: it is always BLAKE2b. Version 3 is always HashWX, so
 * the version shows which clients can solve a puzzle.
 */
export type PuzzleKind =
  | { readonly version: 1; readonly challenge: 'blake2b' }
  | { readonly version: 2; readonly challenge: 'blake2b' | 'argon2id' }
  | { readonly version: 3; readonly challenge: 'hashwx' };

/** Size of a puzzle in bytes, by version. */
export const PUZZLE_SIZES = { 1: 47, 2: 48, 3: 48 } as const;

/** Size of a puzzle of version 1 in bytes. */
export const PUZZLE_SIZE = PUZZLE_SIZES[1];

/** Number of solutions that Postern requires for a BLAKE2b puzzle. */
export const SOLUTION_COUNT = 16;

/** The challenges in the order of their numbers in the format. */
const CHALLENGES: readonly Challenge[] = ['blake2b', 'argon2id', 'hashwx'];
const CHALLENGE = 1;

/** Offsets in version 1. In later versions, they are one greater. */
const PROPERTY_ID = 1;
const PUZZLE_ID = 17;
export const DIFFICULTY = 25;
export const SOLUTIONS = 26;
export const EXPIRATION = 27;
const USER_DATA = 31;

/**
 * Writes the 47 or 48 bytes of a puzzle at `offset`.
 *
 * @throws RangeError if a field has the wrong size
 */
export function writePuzzle(puzzle: Puzzle, target: Uint8Array, offset = 0): void {
  expectSize('propertyId', puzzle.propertyId, 16);
  expectSize('puzzleId', puzzle.puzzleId, 8);
  expectSize('userData', puzzle.userData, 16);
  const at = offset + writeFixed(puzzle, target, offset);
  target.set(puzzle.puzzleId, at + PUZZLE_ID);
  target.set(puzzle.userData, at + USER_DATA);
}

/**
 * Turns random bytes into a puzzle: overwrites all fields except the puzzle id and the user data.
 *
 * @param bytes 47 random bytes for version 1, 48 for later versions
 */
export function fillPuzzle(bytes: Uint8Array, fixed: FixedFields): void {
  const at = writeFixed(fixed, bytes, 0);
  // An id of zero is reserved for the test puzzle.
  if (readU32(bytes, at + PUZZLE_ID) === 0) bytes[at + PUZZLE_ID] = 1;
}

/** The fields of a new puzzle that are not random. */
type FixedFields = PuzzleKind & Omit<Puzzle, 'puzzleId' | 'userData' | keyof PuzzleKind>;

/** @returns the distance of the fields from their offsets in version 1 */
function writeFixed(fixed: FixedFields, target: Uint8Array, offset: number): number {
  const shift = shiftOf(fixed);
  const at = offset + shift;
  target[offset] = fixed.version;
  if (shift === 1) target[offset + CHALLENGE] = CHALLENGES.indexOf(fixed.challenge);
  target.set(fixed.propertyId, at + PROPERTY_ID);
  target[at + DIFFICULTY] = fixed.difficulty;
  target[at + SOLUTIONS] = fixed.solutionCount;
  writeU32(target, at + EXPIRATION, fixed.expiresAtSeconds);
  return shift;
}

/** @returns 47 or 48 bytes @throws RangeError if a field has the wrong size */
export function toPuzzleBytes(puzzle: Puzzle): Uint8Array {
  const bytes = new Uint8Array(PUZZLE_SIZES[puzzle.version]);
  writePuzzle(puzzle, bytes);
  return bytes;
}

/**
 * The byte fields of the result are copies, which are cheaper than views of a new array.
 *
 * @returns undefined if the version or the challenge is unknown, the length is not that of the version, or the number of solutions
 *   is 0
 */
export function parsePuzzle(bytes: Uint8Array): Puzzle | undefined {
  const kind = kindOf(bytes);
  if (kind === undefined) return undefined;
  const at = shiftOf(kind);
  const solutionCount = bytes[at + SOLUTIONS] as number;
  if (solutionCount === 0) return undefined;
  return {
    ...kind,
    propertyId: bytes.slice(at + PROPERTY_ID, at + PUZZLE_ID),
    puzzleId: bytes.slice(at + PUZZLE_ID, at + DIFFICULTY),
    difficulty: bytes[at + DIFFICULTY] as number,
    solutionCount,
    expiresAtSeconds: readU32(bytes, at + EXPIRATION),
    userData: bytes.slice(at + USER_DATA),
  };
}

/** @returns the distance of the fields from their offsets in version 1 */
function shiftOf({ version }: PuzzleKind): 0 | 1 {
  return version === 1 ? 0 : 1;
}

function kindOf(bytes: Uint8Array): PuzzleKind | undefined {
  const version = bytes[0];
  if (version === 1 && bytes.length === PUZZLE_SIZES[1]) return { version, challenge: 'blake2b' };
  if (bytes.length !== PUZZLE_SIZES[2]) return undefined;
  const challenge = CHALLENGES[bytes[CHALLENGE] as number];
  if (challenge === 'hashwx') return version === 3 ? { version, challenge } : undefined;
  return version === 2 && challenge !== undefined ? { version, challenge } : undefined;
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
