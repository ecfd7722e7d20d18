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
