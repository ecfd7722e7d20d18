// AssemblyScript. BLAKE2b's tables (RFC 7693) and the memory they live in, next to the caller's block.

/** One message block, 128 bytes: the caller writes the puzzle and zeros here. */
export const BLOCK: usize = memory.data(128, 16);

/** The block's words in the order in which rounds 0 to 11 take them: 12 times 16 u64. */
export const SCHEDULE: usize = memory.data(12 * 128, 16);

/** The state v0..v15 up to the first step that depends on word 15. */
export const MIDSTATE: usize = memory.data(128, 16);

/** RFC 7693 section 2.7; rounds 10 and 11 begin again at the top. */
const SIGMA: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
  14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
  11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
  7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
  9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
  2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
  12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
  13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
  6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
  10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
]);

/** RFC 7693 section 2.6. */
export const IV0: u64 = 0x6a09e667f3bcc908;
export const IV1: u64 = 0xbb67ae8584caa73b;
export const IV2: u64 = 0x3c6ef372fe94f82b;
export const IV3: u64 = 0xa54ff53a5f1d36f1;
export const IV4: u64 = 0x510e527fade682d1;
export const IV5: u64 = 0x9b05688c2b3e6c1f;
export const IV6: u64 = 0x1f83d9abfb41bd6b;
export const IV7: u64 = 0x5be0cd19137e2179;

/** h0 at the start: no key, 32 bytes of hash (RFC 7693 section 3.2). */
export const H0: u64 = IV0 ^ 0x01010020;

/** Writes the block's words to the schedule. */
export function schedule(): void {
  for (let i: usize = 0; i < 192; i++) {
    const word: usize = load<u8>(SIGMA + (i % 160));
    store<u64>(SCHEDULE + (i << 3), load<u64>(BLOCK + (word << 3)));
  }
}
