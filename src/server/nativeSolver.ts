import { availableParallelism } from 'node:os';
import { NEWEST_VERSION } from '../puzzle/kinds.ts';
import { type Solved, solveArgon2idPuzzle, solveHashwxPuzzle, solvePuzzle } from '../puzzle/solve.ts';
import { createPooledArgon2idHash } from './argon2id/hash.ts';
import { createBlake2b } from './blake2b.ts';
import { createHashwx } from './hashwx.ts';

/** The newest version of puzzles that `solveNatively` solves, as clients announce it. */
export const SOLVABLE_VERSION = NEWEST_VERSION;

/** A solution and the solve time in milliseconds. */
export type TimedSolution = Solved & { readonly elapsedMs: number };

/**
 * Solves a puzzle with the native hash functions: argon2id puzzles on all cores, others on the calling thread, which it
 * blocks.
 *
 * @param puzzleText the response to `GET /puzzle`
 * @returns undefined if the text is not a puzzle
 */
export async function solveNatively(puzzleText: string): Promise<TimedSolution | undefined> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const solved =
    solvePuzzle(puzzleText, createBlake2b(), elapsedMs) ??
    solveHashwxPuzzle(puzzleText, createBlake2b(), createHashwx, elapsedMs) ??
    (await solveArgon2idPuzzle(puzzleText, createPooledArgon2idHash, availableParallelism(), elapsedMs));
  return solved && { ...solved, elapsedMs: Math.round(elapsedMs()) };
}
