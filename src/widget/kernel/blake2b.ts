// AssemblyScript. BLAKE2b's tables (RFC 7693), what both twins prepare, and the memory all of it lives in.

/** One message block, 128 bytes: the caller writes the puzzle and zeros here. */
export const BLOCK: usize = memory.data(128, 16);

/**
 * The block's words in the order in which rounds 0 to 11 take them: 12 times 16 u64, each as many times as the twin
 * wants it, six at most.
 */
export const SCHEDULE: usize = memory.data(12 * 128 * 6, 16);

/** v0 to v15, up to the first step that depends on word 15. */
export const STATE: usize = memory.data(128, 16);

/** Rounds 1 to 10 run in a loop; round 0 is prepared in part, round 11 is cut to the bits that count. */
export const SECOND_ROUND: usize = 1;
export const LAST_ROUND: usize = 11;

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

/** h0 at the start: no key, 32 bytes of hash (RFC 7693 section 3.2). */
export const H0: u64 = 0x6a09e667f3bcc908 ^ 0x01010020;

/** v0 to v15 at the start (sections 2.6 and 3.2): 128 bytes of input, last block. */
const START: usize = memory.data<u64>([
  H0, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1 ^ 128, 0x9b05688c2b3e6c1f, ~0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);

/** Writes the block's words to the schedule, each `copies` times. */
export function schedule(copies: usize): void {
  let to: usize = SCHEDULE;
  for (let i: usize = 0; i < 192; i++) {
    const word: u64 = load<u64>(BLOCK + (<usize>load<u8>(SIGMA + (i % 160)) << 3));
    for (let copy: usize = 0; copy < copies; copy++) {
      store<u64>(to, word);
      to += 8;
    }
  }
}

/** Round 0 up to word 15, which comes last in it. */
export function prepareState(): void {
  for (let i: usize = 0; i < 128; i += 8) store<u64>(STATE + i, load<u64>(START + i));
  for (let i: usize = 0; i < 15; i++) {
    // Four columns, then four diagonals; two words each.
    const column: usize = i >> 1;
    const shift: usize = i >> 3;
    const a: usize = STATE + ((column & 3) << 3);
    const b: usize = STATE + (((column + shift) & 3) << 3);
    const c: usize = STATE + (((column + 2 * shift) & 3) << 3);
    const d: usize = STATE + (((column + 3 * shift) & 3) << 3);
    const isSecond: bool = (i & 1) != 0;
    store<u64>(a, load<u64>(a) + load<u64>(b, 32) + load<u64>(BLOCK + (i << 3)));
    store<u64>(d, rotr<u64>(load<u64>(d, 96) ^ load<u64>(a), isSecond ? 16 : 32), 96);
    store<u64>(c, load<u64>(c, 64) + load<u64>(d, 96), 64);
    store<u64>(b, rotr<u64>(load<u64>(b, 32) ^ load<u64>(c, 64), isSecond ? 63 : 24), 32);
  }
  // v3 += v4, before word 15.
  store<u64>(STATE, load<u64>(STATE, 24) + load<u64>(STATE, 32), 24);
}
