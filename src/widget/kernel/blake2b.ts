// AssemblyScript. What `prepare` of `../blake2b.ts` writes into the memory before a search.

/** v0 to v15, up to the first step that depends on word 15. */
export const STATE: usize = 0;

/** The block's words in the order in which rounds 1 to 11 take them: 11 times 16 u64, each `COPIES` times. */
export const SCHEDULE: usize = 128;

/** Low half of h0: no key, 32 bytes of hash (RFC 7693 section 3.2). */
export const H0: u32 = 0xf2bdc928;
