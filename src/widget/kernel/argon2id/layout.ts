// AssemblyScript. The memory: its layout, the parameters, and functions that copy and clear it. They are smaller than those of
// AssemblyScript; Safari 14 has no instructions for this purpose.

/** Number of blocks of 1 KiB, which is also the parameter m (RFC 9106, section 3.1). */
export const BLOCK_COUNT: u32 = 16384;

/** Blocks of a segment: there is one lane with four slices. */
export const SEGMENT_BLOCKS: u32 = BLOCK_COUNT / 4;

/** Bytes of a block. */
export const BLOCK_SIZE: usize = 1024;

/** The input of a BLAKE2b hash, at most 1028 bytes and the zeros up to the end of its last block. */
export const INPUT: usize = 0;

/** The state of BLAKE2b: h0 to h7, then v0 to v15. */
export const STATE: usize = 2048;

/** H0, 64 bytes (RFC 9106, section 3.2). */
export const SEED: usize = 3072;

/** A word that nothing reads. */
export const TOUCHED: usize = 3136;

/** The sum of the two inputs of a block, and the result of its rows. */
export const SUM: usize = 4096;
export const ROWS: usize = 5120;

/** The password, 128 bytes, which the caller writes; the salt is its first 16 bytes. The tables are before it (`--memoryBase` in `bundle.ts`). */
export const PASSWORD: usize = 16384;

/** The address of the reference of each block of the first two segments: u32. */
export const REFERENCES: usize = 32768;

/** The blocks. */
export const BLOCKS: usize = 65536;

/** @param size a multiple of 8 */
export function copy(target: usize, source: usize, size: usize): void {
  for (let at: usize = 0; at != size; at += 8) store<u64>(target + at, load<u64>(source + at));
}

/** Writes zeros. @param size a multiple of 8 */
export function clear(target: usize, size: usize): void {
  for (let at: usize = 0; at != size; at += 8) store<u64>(target + at, 0);
}
