import type { Random } from '../../lib/ids.ts';
import { type Clock, DAY, type Instant } from '../../lib/time.ts';
import type { SigningKey, SigningKeyStore } from '../../model/ports/signingKey.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';

export type SigningKeys = {
  /** Newest first; makes the first one when there is none. */
  readonly list: () => Promise<readonly SigningKey[]>;
  /** The new key signs from now on; the old ones verify what they signed until it has expired. */
  readonly rotate: () => Promise<SigningKey>;
  /** Forgets keys whose last puzzle has expired. @returns how many */
  readonly prune: () => Promise<number>;
};

/** A day more than the longest puzzle lives, for clocks that were wrong. */
const KEPT_AFTER_REPLACEMENT = SETTING_FIELDS.validitySeconds.max * 1000 + DAY;

/** Use cases around the keys that sign puzzles. */
export function createSigningKeys(deps: {
  readonly store: SigningKeyStore;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256. */
  readonly digest: (bytes: Uint8Array) => Uint8Array;
}): SigningKeys {
  /** The fingerprint is the beginning of the secret's SHA-256; another secret is drawn where it is taken. */
  async function addOne(): Promise<SigningKey> {
    const known = await deps.store.list();
    for (;;) {
      const secret = deps.random(new Uint8Array(32));
      const fingerprint = deps.digest(secret).slice(0, 4);
      if (known.some((key) => key.fingerprint.every((byte, i) => byte === fingerprint[i]))) continue;
      const newest = known[0]?.createdAt ?? 0;
      // A clock that was set back must not make the new key an old one.
      const createdAt = Math.max(deps.clock(), newest) as Instant;
      const key = { fingerprint, secret, createdAt };
      await deps.store.add(key);
      return key;
    }
  }

  return {
    async list() {
      if ((await deps.store.list()).length === 0) await addOne();
      return deps.store.list();
    },
    rotate: addOne,
    prune: () => deps.store.prune((deps.clock() - KEPT_AFTER_REPLACEMENT) as Instant),
  };
}
