import type { Instant } from '../../lib/time.ts';
import type { AuditEntry } from '../audit.ts';

export type SigningKey = {
  /** 4 bytes that identify the key in a puzzle. */
  readonly fingerprint: Uint8Array;
  /** 32 bytes. */
  readonly secret: Uint8Array;
  readonly createdAt: Instant;
};

/**
 * How long a new signing key only verifies before it signs, in milliseconds. By then, all other threads, and all other processes on this
 * storage, have read the key, so none of them receives a puzzle with an unknown signature.
 */
export const VERIFY_ONLY_MS = 1000;

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface SigningKeyStore {
  /** Lists the keys in the reverse order of their creation. The newest key signs; all keys verify. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey, entry?: AuditEntry): Promise<void>;
  /**
   * Adds the first key after claims were lost and the puzzles of all other keys were rejected. If the claims are in the same database,
   * also records in the same transaction that their loss is handled.
   *
   * @returns false, without a change, if another node has already handled it
   */
  addAfterLoss(key: SigningKey, entry?: AuditEntry): Promise<boolean>;
  /** Adds a key and deletes all others. */
  replaceAll(key: SigningKey, entry?: AuditEntry): Promise<void>;
  /** Deletes the keys that were replaced by a newer one before `replacedBefore`. @returns their number */
  prune(replacedBefore: Instant): Promise<number>;
}
