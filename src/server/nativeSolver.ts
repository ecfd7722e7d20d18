import { type Solved, solvePuzzle } from '../puzzle/solve.ts';
import { createBlake2b } from './crypto.ts';

/** A puzzle solved with the native hash, and how long that took. */
export type TimedSolution = Solved & { readonly elapsedMs: number };

/**
 * Solves what `GET /puzzle` answered on this thread, which does nothing else meanwhile.
 *
 * @returns undefined where that is no puzzle, or one of another algorithm
 */
export function solveNatively(puzzleText: string): TimedSolution | undefined {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const solved = solvePuzzle(puzzleText, createBlake2b(), elapsedMs);
  return solved && { ...solved, elapsedMs: Math.round(elapsedMs()) };
}
