/** One presentation of a puzzle that has been solved. */
export type Claim = {
  /** 8 bytes. */
  readonly puzzleId: Uint8Array;
  /** Unix seconds. */
  readonly expiresAtSeconds: number;
};

/** The durable count of presentations. */
export interface ReplayLedger {
  /**
   * Counts one presentation and keeps the count before it answers, whatever happens to the process after.
   *
   * @returns 1 for the first presentation of this puzzle, 2 for the second, and so on; no number twice
   * @throws where the count cannot be kept; then it was not counted
   */
  claim(claim: Claim): Promise<number>;
  /**
   * Forgets some of the puzzles that expired before this moment.
   *
   * @param beforeSeconds unix seconds
   * @returns how many; 0 when none is left
   */
  purge(beforeSeconds: number): Promise<number>;
  /** @returns whether the ledger works; see `claim` */
  isWell(): boolean;
  close(): Promise<void>;
}
