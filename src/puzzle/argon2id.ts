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

/** The work of a payload: whether every solution meets the threshold. */
export type Argon2idWork = {
  /** From `toBlock`; the last eight bytes are overwritten. */
  readonly block: Uint8Array;
  /** n times 8 bytes. */
  readonly solutions: Uint8Array;
  /** u32 from `toThreshold`. */
  readonly threshold: number;
};
