/**
 * argon2id (RFC 9106) as proof of work. The password is the 128-byte block from `toBlock`, the salt its first 16 bytes.
 *
 * @see docs/reference/protocol.md#argon2id
 */
export const ARGON2ID_PARAMETERS = {
  /** KiB: 16 MiB. */
  memoryKib: 16_384,
  passes: 1,
  lanes: 1,
  /** Bytes. */
  tagSize: 32,
  /** Bytes of the block. */
  saltSize: 16,
} as const;

/** Number of solutions that an argon2id puzzle requires. */
export const ARGON2ID_SOLUTION_COUNT = 8;

/** The difficulty of an argon2id puzzle is the level minus this: at the same level, it requires 2^16 times fewer attempts per solution. */
export const ARGON2ID_LEVEL_OFFSET = 128;

/**
 * The least difficulty of an argon2id puzzle. It requires 8 attempts for each solution, and eight random nonces pass with a probability
 * of 2^-24. At 0, nearly every nonce passes.
 */
export const ARGON2ID_MIN_DIFFICULTY = 24;

/** The work of a payload: whether every solution meets the threshold. */
export type Argon2idWork = {
  /** From `toBlock`; the last eight bytes are overwritten. */
  readonly block: Uint8Array;
  /** n times 8 bytes. */
  readonly solutions: Uint8Array;
  /** u32 from `toThreshold`. */
  readonly threshold: number;
};
