import type { Instant } from '../../lib/time.ts';

export type SigningKey = {
  /** 4 bytes that identify the key in a puzzle. */
  readonly fingerprint: Uint8Array;
  /** 32 bytes. */
  readonly secret: Uint8Array;
  readonly createdAt: Instant;
};

export interface SigningKeyStore {
  /** Lists the keys, newest first. The newest key signs; all keys verify. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey): Promise<void>;
  /** Deletes the keys that were replaced by a newer one before `replacedBefore`. @returns their number */
  prune(replacedBefore: Instant): Promise<number>;
}
