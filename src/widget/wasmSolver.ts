import type { Solver } from './solver.ts';

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
