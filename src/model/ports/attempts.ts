import type { Instant } from '../../lib/time.ts';
import type { AttemptRule } from '../attemptLimits.ts';

/** A rule, and the key whose failures it counts. */
export type AttemptLimit = {
  readonly rule: AttemptRule;
  /** A keyed hash, so that the store contains neither addresses nor form input. It differs for each rule. */
  readonly keyHash: string;
};

/** Counts failed attempts by key, for all servers of the installation. Failures expire after ATTEMPTS_EXPIRE_AFTER. */
export interface AttemptStore {
  /** @returns milliseconds until an attempt with all of these keys can begin; 0 if there is no delay */
  delay(limits: readonly AttemptLimit[], now: Instant): Promise<number>;
  /**
   * Counts an attempt for every key if none of them is delayed, in one step. Call it before the attempt is checked, so that simultaneous
   * attempts cannot exceed the limits.
   *
   * @returns 0 if the attempt was counted; otherwise, milliseconds until it can begin
   */
  begin(limits: readonly AttemptLimit[], now: Instant): Promise<number>;
  /** Takes back an attempt that did not fail. */
  takeBack(limits: readonly AttemptLimit[]): Promise<void>;
  /** Deletes all failures of the keys. */
  clear(limits: readonly AttemptLimit[]): Promise<void>;
  /** Deletes a batch of expired failures. @returns the number of deleted keys; 0 if none are left */
  purge(now: Instant): Promise<number>;
}
