import type { Challenge } from '../model/propertyFields.ts';
import { ARGON2ID_SOLUTION_COUNT, argon2idDifficultyOf } from '../puzzle/argon2id.ts';
import { type Puzzle, SOLUTION_COUNT } from '../puzzle/puzzle.ts';

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
