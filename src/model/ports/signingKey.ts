import type { Instant } from '../../lib/time.ts';

export type SigningKey = {
  /** 4 bytes: which key signed. */
  readonly fingerprint: Uint8Array;
  /** 32 bytes. */
  readonly secret: Uint8Array;
  readonly createdAt: Instant;
};

export interface SigningKeyStore {
  /** Newest first; the newest signs, all verify. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey): Promise<void>;
  /** Drops keys that a newer one replaced before this moment. @returns how many */
  prune(replacedBefore: Instant): Promise<number>;
}
