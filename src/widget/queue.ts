import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { ThreadPort } from './messages.ts';

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

/** A solver thread that can search. */
export type Searcher = { readonly port: ThreadPort; usesWasm: boolean; index: number | undefined };

/** Distributes the indexes of one puzzle and collects its solutions. */
export function createQueue(
  work: Work,
  threads: () => readonly Searcher[],
  onProgress: (found: number) => void,
  finish: (solved: Solved) => void,
) {
  const solutions = new Uint8Array(work.solutionCount * SOLUTION_SIZE);
  const assignments = new Uint8Array(work.solutionCount);
  const foundIndexes = new Set<number>();
  let usedWasm = false;

  /** @returns the unsolved index that was assigned to the fewest threads */
  function nextIndex(): number {
    let best = -1;
    for (let i = 0; i < assignments.length; i++) {
      const isBetter = best < 0 || (assignments[i] as number) < (assignments[best] as number);
      if (isBetter && !foundIndexes.has(i)) best = i;
    }
    return best;
  }

  function assign(thread: Searcher): void {
    const index = nextIndex();
    thread.index = index;
    const helper = assignments[index] as number;
    assignments[index] = helper + 1;
    thread.port.post({ kind: 'search', index, helper });
  }

  return {
    join(thread: Searcher): void {
      thread.port.post({ kind: 'load', block: work.block, threshold: work.threshold });
      assign(thread);
    },
    add(finder: Searcher, index: number, solution: Uint8Array): void {
      if (foundIndexes.has(index)) return;
      foundIndexes.add(index);
      solutions.set(solution, index * SOLUTION_SIZE);
      usedWasm = usedWasm || finder.usesWasm;
      onProgress(foundIndexes.size);
      const isDone = foundIndexes.size === work.solutionCount;
      for (const thread of threads()) {
        if (isDone) thread.port.post({ kind: 'rest' });
        else if (thread.index === index) assign(thread);
      }
      if (isDone) finish({ solutions, usedWasm });
    },
  };
}
