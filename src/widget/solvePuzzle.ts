import { type Done, done } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { toBlock } from '../puzzle/check.ts';
import type { Challenge, Puzzle } from '../puzzle/puzzle.ts';
import { SOLUTION_SIZE, toPayload } from '../puzzle/solution.ts';
import { computeThreshold } from '../puzzle/threshold.ts';
import type { FetchedPuzzle, FetchOutcome } from './client.ts';
import type { Pool, Solved } from './pool.ts';

export type SolveDeps<Failure> = {
  /** @param failure the reason why an argon2id puzzle could not be solved; then the puzzle is a BLAKE2b puzzle */
  readonly fetchPuzzle: (signal: AbortSignal, failure: string) => Promise<FetchOutcome | Failure>;
  readonly openPool: (challenge: Challenge) => Pool;
  readonly now: Clock;
};

/**
 * Fetches a puzzle and solves it. If an argon2id puzzle cannot be solved, for example because there is not enough memory, it fetches a
 * BLAKE2b puzzle, which the server has for such devices. After the signal, it stops, or resolves with any outcome.
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
  const open = (challenge: Challenge) => {
    const pool = deps.openPool(challenge);
    signal.addEventListener('abort', pool.close);
    return pool;
  };
  // Most puzzles are BLAKE2b puzzles; their threads start while the puzzle is fetched.
  let pool = open('blake2b');
  const fetched = await deps.fetchPuzzle(signal, failure);
  if (!fetched.ok) return fetched;
  if (signal.aborted) return done('');
  const { validForMs, text, puzzle } = fetched.value;
  const { challenge } = puzzle;
  const solvingSince = deps.now();
  onFetched(validForMs);
  try {
    if (challenge === 'argon2id') {
      pool.close();
      pool = open(challenge);
    }
    const solved = await solve(pool, fetched.value, onProgress);
    return done(payloadFrom(solved, deps.now() - solvingSince, text));
  } catch (cause) {
    if (signal.aborted || challenge === 'blake2b') throw cause;
    return solvePuzzle(deps, signal, onFetched, onProgress, String(cause));
  } finally {
    pool.close();
  }
}

async function solve(
  pool: Pool,
  fetched: FetchedPuzzle,
  onProgress: (percent: number) => void,
): Promise<Solved> {
  const { puzzle, puzzleBytes } = fetched;
  const { solutionCount } = puzzle;
  if (isTest(puzzle)) return zeroSolutions(puzzle);
  const work = { block: toBlock(puzzleBytes), threshold: computeThreshold(puzzle.difficulty), solutionCount };
  return pool.solve(work, (found) => onProgress(Math.floor((100 * found) / solutionCount)));
}

function payloadFrom(solved: Solved, elapsed: number, text: string): string {
  const elapsedMs = Math.max(0, Math.round(elapsed));
  return toPayload({ errorCode: 0, usedWasm: solved.usedWasm, elapsedMs }, solved.solutions, text);
}

/** Detects the test property's puzzle, which requires no work. */
function isTest(puzzle: Puzzle): boolean {
  return (
    puzzle.difficulty === 0 && puzzle.expiresAtSeconds === 0 && puzzle.puzzleId.every((byte) => byte === 0)
  );
}

function zeroSolutions(puzzle: Puzzle): Solved {
  return { solutions: new Uint8Array(puzzle.solutionCount * SOLUTION_SIZE), usedWasm: false };
}
