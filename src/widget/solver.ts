import { LAST_ROUND, prepare, ROUND_SIZE, STATE_SIZE, wordAt } from './blake2b.ts';
import { hash32 } from './compress.ts';

/**
 * Searches for the solutions of one puzzle. All solvers return the same results.
 *
 * A solution contains `prefix` in bytes 0 to 3 (its index, then three free bytes) and a counter in bytes 4 to 7, both
 * little-endian.
 */
export interface Solver {
  /** Whether the solver uses WebAssembly. */
  readonly usesWasm: boolean;
  /** @param block 128 bytes from `toBlock`, copied; bytes 48 to 119 must be zero */
  load(block: Uint8Array): void;
  /**
   * @param prefix u32
   * @param start u32, the first counter
   * @param count number of counters to try; `start + count` is at most 2^32
   * @param threshold u32 from `toThreshold`
   * @returns the number of attempts including the successful attempt, whose counter is `start + attempts - 1`; 0 if none was successful
   */
  searchRange(prefix: number, start: number, count: number, threshold: number): number;
}

/** The exports of `kernel/search.ts`. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Prepares searches of the puzzle whose block is at `BLOCK`. */
  prepare(): void;
  search(prefix: number, start: number, count: number, threshold: number): number;
};

/** An address in the kernel's memory. */
const BLOCK = 16384;

/**
 * Opens the WebAssembly solver.
 *
 * @param kernel contents of `static/kernel.wasm`
 * @throws if WebAssembly is not available or blocked by the page's content security policy
 */
export async function createWasmSolver(kernel: Uint8Array<ArrayBuffer>): Promise<Solver> {
  const { instance } = await WebAssembly.instantiate(kernel, {});
  const { memory, prepare, search } = instance.exports as unknown as Exports;
  return {
    usesWasm: true,
    load(block) {
      new Uint8Array(memory.buffer).set(block, BLOCK);
      prepare();
    },
    searchRange: (prefix, start, count, threshold) => search(prefix, start, count, threshold) >>> 0,
  };
}

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
