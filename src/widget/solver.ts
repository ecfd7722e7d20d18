import { LAST_ROUND, prepare, ROUND_SIZE, STATE_SIZE, wordAt } from './blake2b.ts';
import { headOf } from './compress.ts';

/**
 * Searches one puzzle's solutions. All solvers answer alike, attempt for attempt.
 *
 * A solution is `prefix` in bytes 0 to 3 (its index, then three bytes of room) and a counter in
 * bytes 4 to 7, both little-endian.
 */
export interface Solver {
  /** Whether WebAssembly does the work. */
  readonly usesWasm: boolean;
  /** @param block 128 bytes of `toBlock`, of which 48 to 119 are zero; copied */
  load(block: Uint8Array): void;
  /**
   * @param prefix u32
   * @param start u32, the first counter
   * @param count how many counters to try; `start + count` is at most 2^32
   * @param threshold u32 of `thresholdOf`
   * @returns how many attempts it took, the good one included (its counter is `start + attempts - 1`),
   *   or 0 where none of them was good
   */
  search(prefix: number, start: number, count: number, threshold: number): number;
}

/** What `kernel/search.ts` exports. */
type Kernel = {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** How many copies of each word it wants from `prepare`, into its memory from 0 on. */
  readonly COPIES: { readonly value: number };
  search(prefix: number, start: number, count: number, threshold: number): number;
};

/**
 * The solver in WebAssembly.
 *
 * @param kernel the bytes of `static/kernel.wasm` or of its twin with SIMD
 * @throws where WebAssembly is missing, or forbidden by the page's content security policy
 */
export async function createWasmSolver(kernel: Uint8Array<ArrayBuffer>): Promise<Solver> {
  const { instance } = await WebAssembly.instantiate(kernel, {});
  const { memory, COPIES, search } = instance.exports as unknown as Kernel;
  return {
    usesWasm: true,
    load: (block) => prepare(block, new Int32Array(memory.buffer), COPIES.value),
    search: (prefix, start, count, threshold) => search(prefix, start, count, threshold) >>> 0,
  };
}

/** The solver in plain JavaScript, for browsers and pages without WebAssembly. */
export function createJsSolver(): Solver {
  const words = new Int32Array(LAST_ROUND + ROUND_SIZE);
  return {
    usesWasm: false,
    load: (block) => prepare(block, words, 1),
    search(prefix, start, count, threshold) {
      for (const place of SOLUTION_PLACES) words[place] = prefix;
      for (let attempt = 1; attempt <= count; attempt++) {
        const counter = (start + attempt - 1) | 0;
        for (const place of SOLUTION_PLACES) words[place + 1] = counter;
        if (headOf(words, prefix | 0, counter) >>> 0 <= threshold) return attempt;
      }
      return 0;
    },
  };
}

/** Where word 15, the solution, comes up in the rounds 1 to 11: index of its low half. */
const SOLUTION_PLACES = Array.from({ length: 11 * 16 }, (_, i) => STATE_SIZE + 2 * i).filter(
  (_, i) => wordAt(16 + i) === 15,
);
