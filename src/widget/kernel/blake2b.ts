// AssemblyScript. The memory layout.

/** v0 to v15 before the first step that depends on word 15. */
export const STATE: usize = 0;

/** The block's words in the order of rounds 1 to 11: 11 times 16 u64. */
export const SCHEDULE: usize = 128;

/** The block, which the caller writes. The tables of `prepare.ts` are between the schedule and the block (`--memoryBase` in `bundle.ts`). */
export const BLOCK: usize = 16384;

/** Low half of h0 without a key and with a hash of 32 bytes (RFC 7693, section 3.2). */
export const H0: u32 = 0xf2bdc928;
