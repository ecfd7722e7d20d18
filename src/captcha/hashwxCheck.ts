import { type Awaitable, chain } from '../lib/awaitable.ts';
import { type CheckSolutions, toBlock, toThreshold } from '../puzzle/check.ts';
import type { Payload } from '../puzzle/solution.ts';
import type { PuzzleFailures } from './puzzleFailures.ts';

/** `blocked`: rejected without hashing, after too many wrong payloads for the puzzle. */
export const HASHWX_RESULTS = ['valid', 'invalid', 'blocked'] as const;

export type HashwxResult = (typeof HASHWX_RESULTS)[number];

type Work = Pick<Payload, 'puzzle' | 'puzzleBytes' | 'solutions'>;

/** Checks the work of HashWX solutions for which `checkHashwxIndexes` returns `valid`. @returns whether it is valid */
export type CheckHashwx = (payload: Work) => Awaitable<boolean>;

export type HashwxCheckDeps = {
  /** Returns the check; a promise until the kernel is open. */
  readonly open: () => Awaitable<CheckSolutions>;
  readonly failures: PuzzleFailures;
  readonly count: (result: HashwxResult) => void;
};

/**
 * Checks solutions on the calling thread, because a payload takes at most a quarter of a millisecond. A wrong payload usually costs one of
 * its eight solutions, and wrong payloads block their puzzle.
 */
export function createHashwxWorkCheck({ open, failures, count }: HashwxCheckDeps): CheckHashwx {
  function check(verify: CheckSolutions, { puzzle, puzzleBytes, solutions }: Work): boolean {
    if (failures.isBlocked(puzzle)) {
      count('blocked');
      return false;
    }
    const isValid = verify(solutions, toBlock(puzzleBytes), toThreshold(puzzle.difficulty));
    if (!isValid) failures.add(puzzle);
    count(isValid ? 'valid' : 'invalid');
    return isValid;
  }

  return (payload) => chain(open(), (verify) => check(verify, payload));
}
