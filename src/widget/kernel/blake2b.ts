// AssemblyScript. What the kernels for BLAKE2b share: the memory layout, and rotations.

/** v0 to v15 before the first step that depends on word 15. */
export const STATE: usize = 0;

/** The block's words in the order of rounds 1 to 11: 11 times 16 u64. */
export const SCHEDULE: usize = 128;

/** The block, which the caller writes. The tables of `search.ts` are between the schedule and the block (`--memoryBase` in `bundle.ts`). */
export const BLOCK: usize = 16384;

/** Low half of h0 without a key and with a hash of 32 bytes (RFC 7693, section 3.2). */
export const H0: u32 = 0xf2bdc928;

// Rotations of both words of a vector to the right (RFC 7693, section 2.1).

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr32(x: v128): v128 {
  return v128.shuffle<u32>(x, x, 1, 0, 3, 2);
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr24(x: v128): v128 {
  return v128.swizzle(x, i8x16(3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr16(x: v128): v128 {
  return v128.swizzle(x, i8x16(2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9));
}

// @ts-ignore: a decorator on a function is AssemblyScript's
@inline
export function rotr63(x: v128): v128 {
  return v128.or(i64x2.add(x, x), i64x2.shr_u(x, 63));
}
