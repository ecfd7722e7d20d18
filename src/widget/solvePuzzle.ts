import { type Done, done } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { computeThreshold, toBlock } from '../puzzle/check.ts';
import { SOLUTION_SIZE, toPayload } from '../puzzle/solution.ts';
import type { FetchedPuzzle, FetchOutcome } from './client.ts';
import type { Solved, Work } from './pool.ts';

/**
 * Solves a puzzle. After the signal, it stays pending, or throws.
 *
 * @param onProgress called with the number of solutions found, after each of them
 * @param mayUseWorkers whether workers may respond; only for BLAKE2b
 * @throws if no thread works
 */
export type SolverPart = (
  work: Work,
  onProgress: (found: number) => void,
  signal: AbortSignal,
  mayUseWorkers?: boolean,
) => Promise<Solved>;

export type SolveDeps<Failure> = {
  /**
   * @param failure the reason why another puzzle could not be solved; then the puzzle is a BLAKE2b puzzle
   * @param hasWorkers whether the browser can start workers, which HashWX needs
   */
  readonly fetchPuzzle: (
    signal: AbortSignal,
    failure: string,
    hasWorkers: boolean,
  ) => Promise<FetchOutcome | Failure>;
  /** Opens the threads for a BLAKE2b puzzle. */
  readonly openPool: () => SolverPool;
  /** Loads the solver for puzzles with this challenge, which is not BLAKE2b. @throws if it cannot be loaded */
  readonly loadSolver: (challenge: number) => Promise<SolverPart>;
  readonly now: Clock;
};

/** The solver threads for one BLAKE2b puzzle. They start before the puzzle arrives. */
export type SolverPool = {
  /** Call it only once. */
  readonly solve: SolverPart;
  readonly hasThreads: boolean;
  /** Closes all threads; a pending `solve` stays pending. */
  readonly dispose: () => void;
};

/**
 * Fetches a puzzle and solves it. If a puzzle other than BLAKE2b cannot be solved, for example because there is not enough memory, it
 * fetches a BLAKE2b puzzle, which the server has for such devices. After the signal, it stops, or resolves with any outcome.
 *
 * @param onFetched called with the validity of each puzzle in milliseconds
 * @returns the payload, or the reason why there is no puzzle
 * @throws if no thread works
 */
export async function solvePuzzle<Failure extends { readonly ok: false }>(
  deps: SolveDeps<Failure>,
  signal: AbortSignal,
  onFetched: (validForMs: number | undefined) => void,
  onProgress: (percent: number) => void,
  failure = '',
): Promise<Done<string> | Exclude<FetchOutcome, Done<FetchedPuzzle>> | Failure> {
  // Most puzzles are BLAKE2b puzzles.
  const pool = deps.openPool();
  signal.addEventListener('abort', pool.dispose);
  const fetched = await deps.fetchPuzzle(signal, failure, pool.hasThreads);
  if (!fetched.ok) return fetched;
  if (signal.aborted) return done('');
  const { validForMs, text, puzzle, puzzleBytes } = fetched.value;
  const { challengeCode, solutionCount, difficulty } = puzzle;
  const solvingSince = deps.now();
  onFetched(validForMs);
  if (challengeCode) pool.dispose();
  const solve = async (): Promise<Solved> => {
    const solver = challengeCode ? await deps.loadSolver(challengeCode) : pool.solve;
    const work = { block: toBlock(puzzleBytes), threshold: computeThreshold(difficulty), solutionCount };
    return solver(work, (found) => onProgress(((100 * found) / solutionCount) | 0), signal);
  };
  try {
    // The test property's puzzle has no expiration, and requires no work.
    const { solutions, usedWasm } =
      validForMs === undefined
        ? { solutions: new Uint8Array(solutionCount * SOLUTION_SIZE), usedWasm: false }
        : await solve();
    const elapsedMs = Math.round(deps.now() - solvingSince);
    return done(toPayload({ errorCode: 0, usedWasm, elapsedMs }, solutions, text));
  } catch (cause) {
    if (signal.aborted || !challengeCode) throw cause;
    return solvePuzzle(deps, signal, onFetched, onProgress, `${cause}`);
  } finally {
    pool.dispose();
  }
}
