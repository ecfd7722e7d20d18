// AssemblyScript. The tables of BLAKE2b. Each kernel that imports this file contains them.

/** RFC 7693, section 2.6. */
// biome-ignore format: a table
export const IV: usize = memory.data<u64>([
  0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
  0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
]);

/** The order of the words in ten rounds (RFC 7693, section 2.7), a nibble per word. Rounds 10 and 11 repeat the first two. */
// biome-ignore format: a table
export const SIGMA: usize = memory.data<u64>([
  0xfedcba9876543210, 0x357b20c16df984ae, 0x491763eadf250c8b, 0x8f04a562ebcd1397,
  0xd386cb1efa427509, 0x91ef57d438b0a6c2, 0xb8293670a4def15c, 0xa2684f05931ce7bd,
  0x5a417d2c803b9ef6, 0x0dc3e9bf5167482a,
]);
