import { type Solved, solvePuzzle } from '../puzzle/solve.ts';
import { createBlake2b } from './crypto.ts';

/** A solution and the solve time in milliseconds. */
export type TimedSolution = Solved & { readonly elapsedMs: number };

/**
 * Solves a puzzle with the native hash function. Blocks the thread.
 *
 * @param puzzleText the response to `GET /puzzle`
 * @returns undefined if the text is not a puzzle or uses another algorithm
 */
export function solveNatively(puzzleText: string): TimedSolution | undefined {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const solved = solvePuzzle(puzzleText, createBlake2b(), elapsedMs);
  return solved && { ...solved, elapsedMs: Math.round(elapsedMs()) };
}
