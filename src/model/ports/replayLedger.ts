import type { AccountId } from '../account.ts';

/** One presentation of a solved puzzle. */
export type Claim = {
  /** 8 bytes. */
  readonly puzzleId: Uint8Array;
  /** Unix seconds. */
  readonly expiresAtSeconds: number;
  /** Fingerprint of the key that signed the puzzle, as a u32. */
  readonly keyFingerprint: number;
};

/** Identifies a request that its sender may repeat. */
export type RepeatKey = {
  /** 32 bytes: a hash of the sender's API key, its idempotency key, and the solution. */
  readonly hash: Uint8Array;
  /** Unix seconds of the request. */
  readonly nowSeconds: number;
  /** The user whose requests share a part of the ledger's queue. */
  readonly userId: AccountId;
};

/** Seconds for which a repeated request gets the result of the first one (Turnstile's `idempotency_key`). */
export const REPEAT_WINDOW_SECONDS = 300;

/** The latest expiration of a puzzle, in Unix seconds. A purge until then rejects all puzzles of its keys. */
export const LATEST_EXPIRATION = 2 ** 32 - 1;

/** The methods that verify solutions. */
export type ClaimLedger = Pick<ReplayLedger, 'claim' | 'claimOnce' | 'recall'>;

/** The durable counts of presentations. */
export interface ReplayLedger {
  /**
   * Counts a presentation. Resolves after the count is durable.
   *
   * @returns 1 for the first presentation of a puzzle, 2 for the second, and so on; never the same number twice. 0 if the counts of
   *   puzzles that this key signed and that expire at that time were already deleted: the clock was set back, and the puzzle may
   *   have been presented before
   * @throws if the count cannot be stored, or if it is unknown whether it was stored
   */
  claim(claim: Claim): Promise<number>;
  /**
   * Like `claim`, but counts repeated requests only once: within REPEAT_WINDOW_SECONDS, all requests with the same key get the
   * number of the first one, even if they are concurrent.
   *
   * @param maxCount presentations that are accepted; recorded for `recall`
   */
  claimOnce(claim: Claim, maxCount: number, key: RepeatKey): Promise<number>;
  /**
   * @returns whether the first request with this key in the last REPEAT_WINDOW_SECONDS was accepted; undefined if there is none
   * @throws if the ledger cannot be read
   */
  recall(key: RepeatKey): Promise<boolean | undefined>;
  /**
   * Deletes a batch of puzzles that expired before `beforeSeconds`, and records this time for each key, so that `claim` returns 0
   * for the deleted puzzles.
   *
   * @param beforeSeconds Unix seconds
   * @param keyFingerprints all keys that have signed puzzles; the records of other keys are deleted
   * @returns their number; 0 if none are left
   */
  purge(beforeSeconds: number, keyFingerprints: readonly number[]): Promise<number>;
  /** @returns the latest `beforeSeconds` of a purge since the key was created; 0 if there was none */
  purgedBefore(keyFingerprint: number): Promise<number>;
  /** Whether counts can be stored now. */
  isHealthy(): boolean;
  /**
   * Whether claims from before the ledger was opened are missing, so that the ledger cannot recognize some spent puzzles. With SQLite, it
   * then counts no claims before a purge until LATEST_EXPIRATION.
   */
  hasLostClaims(): boolean;
  close(): Promise<void>;
}
