import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromThread, ThreadPort } from './messages.ts';

/** A puzzle to solve. */
export type Work = {
  /** 128 bytes from `toBlock`. */
  readonly block: Uint8Array;
  /** u32 from `toThreshold`. */
  readonly threshold: number;
  /** 1..255. */
  readonly solutionCount: number;
};

export type Solved = {
  /** `solutionCount` times 8 bytes, in the order of their indexes. */
  readonly solutions: Uint8Array;
  readonly usedWasm: boolean;
};

/** A solver thread that can search. `index` identifies the solution for which it searches. */
export type Searcher = { readonly port: ThreadPort; index?: number };

/** Marks an index as solved. Greater than any number of assignments. */
const SOLVED = 1e9;

type Found = Extract<FromThread, { readonly kind: 'found' }>;

/** Distributes the indexes of one puzzle and collects its solutions. */
export function createQueue(
  { block, threshold, solutionCount }: Work,
  threads: () => readonly Searcher[],
  onProgress: (found: number) => void,
  finish: (solved: Solved) => void,
) {
  const solutions = new Uint8Array(solutionCount * SOLUTION_SIZE);
  /** The number of threads to which each index was assigned, or `SOLVED`. */
  const assignments = new Array<number>(solutionCount).fill(0);
  let found = 0;
  let usedWasm = false;

  /** Assigns the unsolved index that was assigned to the fewest threads. */
  function assign(thread: Searcher): void {
    const count = Math.min(...assignments);
    const index = assignments.indexOf(count);
    thread.index = index;
    assignments[index] = count + 1;
    thread.port.post({ block, threshold, prefix: index | (count << 8) });
  }

  return {
    assign,
    add({ solution, usesWasm }: Found): void {
      const index = solution[0] as number;
      if (assignments[index] === SOLVED) return;
      assignments[index] = SOLVED;
      solutions.set(solution, index * SOLUTION_SIZE);
      usedWasm = usedWasm || usesWasm;
      found += 1;
      onProgress(found);
      if (found === solutionCount) finish({ solutions, usedWasm });
      else for (const thread of threads()) if (thread.index === index) assign(thread);
    },
  };
}
