import { DIFFICULTY, EXPIRATION, PUZZLE_SIZES, SOLUTIONS } from '../puzzle/puzzle.ts';

/** The fields of a puzzle that the widget needs. */
export type WidgetPuzzle = {
  /** Whether the work is argon2id, not BLAKE2b. */
  readonly isArgon2id: boolean;
  /** 0..255. */
  readonly difficulty: number;
  /** 1..255. */
  readonly solutionCount: number;
  /** Unix time; 0 for the test puzzle. */
  readonly expiresAtSeconds: number;
};

/**
 * Smaller than `parsePuzzle`, because the server parses the puzzle again.
 *
 * @param bytes the whole of their buffer
 * @returns undefined if the version or the challenge is unknown, the length is not that of the version, or the number of solutions is 0
 */
export function readPuzzle(bytes: Uint8Array): WidgetPuzzle | undefined {
  const version = bytes[0] as keyof typeof PUZZLE_SIZES;
  // Version 2 has one more byte, the challenge.
  const shift = version - 1;
  const challenge = shift * (bytes[1] as number);
  const solutionCount = bytes[SOLUTIONS + shift];
  if (PUZZLE_SIZES[version] !== bytes.length || challenge > 1 || !solutionCount) return undefined;
  return {
    isArgon2id: challenge > 0,
    difficulty: bytes[DIFFICULTY + shift] as number,
    solutionCount,
    expiresAtSeconds: new DataView(bytes.buffer).getUint32(EXPIRATION + shift, true),
  };
}
