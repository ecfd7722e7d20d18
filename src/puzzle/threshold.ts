/**
 * The limit a solution's hash must stay under: floor(2 ^ ((255.999999999 - difficulty) / 8)).
 *
 * The exponent's odd constant keeps difficulty 0 within a u32; it is what the protocol's
 * existing widgets compute, so it must not be rounded.
 *
 * @param difficulty integer, 0..255
 * @returns u32; a solution counts when the first four bytes of its hash, read little-endian, are at most this
 * @see docs/reference/protocol.md#work
 */
export function thresholdOf(difficulty: number): number {
  return THRESHOLDS[difficulty] as number;
}

const THRESHOLDS = Float64Array.from({ length: 256 }, (_, difficulty) =>
  Math.floor(2 ** ((255.999999999 - difficulty) / 8)),
);

/**
 * How many hashes one solution takes on average: 2^32 / (threshold + 1), about 2 ^ (difficulty / 8).
 *
 * @param difficulty integer, 0..255
 */
export function expectedAttempts(difficulty: number): number {
  return 2 ** 32 / (thresholdOf(difficulty) + 1);
}
