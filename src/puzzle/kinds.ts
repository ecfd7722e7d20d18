import { type Challenge, type Puzzle, type PuzzleKind, SOLUTION_COUNT } from './puzzle.ts';

/** What differs between the kinds of puzzles that Postern issues. */
type Kind = PuzzleKind & {
  /** Number of solutions that a puzzle requires. */
  readonly solutionCount: number;
  /** The difficulty of a puzzle is the level minus this, so that eight levels double the work of every kind. */
  readonly levelOffset: number;
  /** The least difficulty of a puzzle. Random nonces could solve easier ones. */
  readonly minDifficulty: number;
};

/** It requires 8 attempts for each solution, and eight random nonces pass with a probability of 2^-24. At 0, nearly every nonce passes. */
const MIN_DIFFICULTY = 24;

/** The kinds of puzzles. A client must announce at least the version of a kind to get its puzzles. */
export const KINDS = {
  blake2b: {
    version: 1,
    challenge: 'blake2b',
    solutionCount: SOLUTION_COUNT,
    levelOffset: 0,
    minDifficulty: 0,
  },
  argon2id: {
    version: 2,
    challenge: 'argon2id',
    solutionCount: 8,
    // At the same level, it requires 2^16 times fewer attempts per solution.
    levelOffset: 128,
    minDifficulty: MIN_DIFFICULTY,
  },
  hashwx: {
    version: 3,
    challenge: 'hashwx',
    solutionCount: 8,
    // A hash takes a laptop about as long as 44 BLAKE2b hashes: 8 × 44 × 2^(-36 / 8) = 15.6, instead of 16 solutions.
    levelOffset: 36,
    minDifficulty: MIN_DIFFICULTY,
  },
} as const satisfies { readonly [Name in Challenge]: Kind & { readonly challenge: Name } };

/** The newest version of puzzles. */
export const NEWEST_VERSION = 3 satisfies Puzzle['version'];

/** @returns the lowest level at which puzzles are of this kind; below it, they are BLAKE2b */
export function minLevelOf(challenge: Challenge): number {
  const { levelOffset, minDifficulty } = KINDS[challenge];
  return levelOffset + minDifficulty;
}

/**
 * @param level integer, 1..255
 * @param newestVersion the newest version of puzzles that the client can solve
 * @returns whether the client gets a BLAKE2b puzzle only because it announced an older version
 */
export function isDowngraded(challenge: Challenge, level: number, newestVersion: Puzzle['version']): boolean {
  return newestVersion < KINDS[challenge].version && level >= minLevelOf(challenge);
}

/**
 * Puzzles of a kind need a client that can solve them, and a difficulty that random nonces do not meet. All other puzzles are BLAKE2b of
 * version 1 with the full difficulty.
 *
 * @param level integer, 1..255, after growth
 * @param newestVersion the newest version of puzzles that the client can solve
 */
export function workFor(challenge: Challenge, level: number, newestVersion: Puzzle['version']) {
  const isPossible = newestVersion >= KINDS[challenge].version && level >= minLevelOf(challenge);
  const kind = isPossible ? KINDS[challenge] : KINDS.blake2b;
  return { ...kind, difficulty: level - kind.levelOffset };
}

/** @returns the level at which Postern issues such a puzzle: its difficulty on the scale of BLAKE2b */
export function levelOf({ challenge, difficulty }: Pick<Puzzle, 'challenge' | 'difficulty'>): number {
  return difficulty + KINDS[challenge].levelOffset;
}
