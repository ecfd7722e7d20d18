/** One presentation of a solved puzzle. */
export type Claim = {
  /** 8 bytes. */
  readonly puzzleId: Uint8Array;
  /** Unix seconds. */
  readonly expiresAtSeconds: number;
};

/** The durable counts of presentations. */
export interface ReplayLedger {
  /**
   * Counts a presentation. Resolves after the count is durable.
   *
   * @returns 1 for the first presentation of a puzzle, 2 for the second, and so on; never the same number twice
   * @throws if the count cannot be stored; then the presentation was not counted
   */
  claim(claim: Claim): Promise<number>;
  /**
   * Deletes a batch of puzzles that expired before `beforeSeconds`.
   *
   * @param beforeSeconds Unix seconds
   * @returns their number; 0 if none are left
   */
  purge(beforeSeconds: number): Promise<number>;
  /** Whether counts can be stored now. */
  isHealthy(): boolean;
  close(): Promise<void>;
}
