import { LAST_ROUND, prepare, ROUND_SIZE, STATE_SIZE } from './blake2b.ts';
import { hash32 } from './compress.ts';
import { wordAt } from './sigma.ts';
import type { Solver } from './solver.ts';

/** Opens the JavaScript solver, for browsers and pages without WebAssembly. */
export function createPlainSolver(): Solver {
  const words = new Int32Array(LAST_ROUND + ROUND_SIZE);
  return {
    usesWasm: false,
    load: (block) => prepare(block, words, 1),
    searchRange(prefix, start, count, threshold) {
      for (const position of SOLUTION_POSITIONS) words[position] = prefix;
      for (let attempt = 1; attempt <= count; attempt++) {
        const counter = (start + attempt - 1) | 0;
        for (const position of SOLUTION_POSITIONS) words[position + 1] = counter;
        if (hash32(words, prefix | 0, counter) >>> 0 <= threshold) return attempt;
      }
      return 0;
    },
  };
}

/** Positions of word 15, the solution, in rounds 1 to 11: indexes of its low half. */
const SOLUTION_POSITIONS = Array.from({ length: 11 * 16 }, (_, i) => STATE_SIZE + 2 * i).filter(
  (_, i) => wordAt(16 + i) === 15,
);
