import type { Challenge, Growth } from '../model/propertyFields.ts';
import { ARGON2ID_SOLUTION_COUNT, argon2idDifficultyOf } from '../puzzle/argon2id.ts';
import { type Puzzle, SOLUTION_COUNT } from '../puzzle/puzzle.ts';

/**
 * Difficulty is the property's level plus the growth from two signals: the load of the client, and that of the property. Eight levels
 * double the work (docs/reference/protocol.md#work), so `8 × log2(x)` additional levels multiply it by x.
 * docs/explanation/difficulty.md explains the curves.
 */
export type Signals = {
  /** Load of the client before this puzzle, in puzzles; at least 0. See clientLoad.ts. */
  readonly clientFill: number;
  /** Fill of the property's bucket before this puzzle, as a multiple of its usual traffic in five minutes; at least 0. */
  readonly propertyFill: number;
};

type Curve = {
  /** A client's fill multiplies the work by (1 + fill / CLIENT_FREE) to this power. */
  readonly clientExponent: number;
  /** A property's fill multiplies the work by (1 + fill) to this power. */
  readonly propertyExponent: number;
  /** Maximum number of levels for the property's fill, so that many simultaneous visitors do not make puzzles hard for each other. */
  readonly propertyLevels: number;
};

// The work of one client grows linearly with its fill on `medium`, with the square root on `slow`, and with the power of 1.5 on `fast`.
// biome-ignore format: a table
const CURVES: Record<Exclude<Growth, 'constant'>, Curve> = {
  slow:   { clientExponent: 0.5, propertyExponent: 0.25, propertyLevels: 2 },
  medium: { clientExponent: 1,   propertyExponent: 0.5,  propertyLevels: 3 },
  fast:   { clientExponent: 1.5, propertyExponent: 1,    propertyLevels: 6 },
};

/** Load of a client at which `medium` doubles the work. */
export const CLIENT_FREE = 5;
export const LEVELS_PER_DOUBLING = 8;
const MAX_DIFFICULTY = 255;

/** @param level integer, 1..255 @returns the difficulty of one puzzle: an integer, `level`..255; exactly the level on `constant` */
export function difficultyOf(level: number, growth: Growth, signals: Signals): number {
  if (growth === 'constant') return level;
  const curve = CURVES[growth];
  const client = curve.clientExponent * Math.log2(1 + signals.clientFill / CLIENT_FREE);
  const uncapped = curve.propertyExponent * Math.log2(1 + signals.propertyFill);
  const property = Math.min(uncapped, curve.propertyLevels / LEVELS_PER_DOUBLING);
  return Math.min(MAX_DIFFICULTY, level + Math.floor(LEVELS_PER_DOUBLING * (client + property)));
}

/**
 * argon2id puzzles need a client that can solve them, and a difficulty that random nonces do not meet. All other puzzles are BLAKE2b of
 * version 1 with the full difficulty.
 *
 * @param difficulty 1..255, after growth
 * @param newestVersion the newest version of puzzles that the client can solve
 */
export function workFor(challenge: Challenge, difficulty: number, newestVersion: Puzzle['version']) {
  const reduced =
    challenge === 'argon2id' && newestVersion === 2 ? argon2idDifficultyOf(difficulty) : undefined;
  return reduced === undefined
    ? ({ version: 1, challenge: 'blake2b', difficulty, solutionCount: SOLUTION_COUNT } as const)
    : ({
        version: 2,
        challenge: 'argon2id',
        difficulty: reduced,
        solutionCount: ARGON2ID_SOLUTION_COUNT,
      } as const);
}
