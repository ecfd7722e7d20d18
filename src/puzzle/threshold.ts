/**
 * The maximum hash of a solution: floor(2 ^ ((255.999999999 - difficulty) / 8)).
 *
 * The constant keeps the result for difficulty 0 within a u32. Deployed widgets compute the same value, so it must not be rounded.
 *
 * @param difficulty integer, 0..255
 * @returns u32; a solution is valid if the first four bytes of its hash, as a little-endian u32, are at most this
 * @see docs/reference/protocol.md#work
 */
export function computeThreshold(difficulty: number): number {
  return Math.floor(2 ** ((255.999999999 - difficulty) / 8));
}

/** @returns the same as `computeThreshold`, from a table */
export function toThreshold(difficulty: number): number {
  return THRESHOLDS[difficulty] as number;
}

const THRESHOLDS = /* @__PURE__ */ Float64Array.from({ length: 256 }, (_, difficulty) =>
  computeThreshold(difficulty),
);

/**
 * @param difficulty integer, 0..255
 * @returns the average number of hashes for one solution: 2^32 / (threshold + 1), about 2 ^ (difficulty / 8)
 */
export function expectedAttempts(difficulty: number): number {
  return 2 ** 32 / (toThreshold(difficulty) + 1);
}
