import { createKeyRing, type KeyRing } from '../captcha/signature.ts';
import type { Clock, Instant } from '../lib/time.ts';
import { type SigningKey, VERIFY_ONLY_MS } from '../model/ports/signingKey.ts';

/** The signing keys of the hot path. */
export type SigningRing = {
  readonly ring: () => KeyRing;
  /** @param keys in the reverse order of their creation */
  readonly replace: (keys: readonly SigningKey[]) => void;
};

/** @see SigningRing */
export function createSigningRing(first: readonly SigningKey[], clock: Clock): SigningRing {
  let keys = first;
  let ring = toKeyRing(keys, clock());
  let signsAt = firstSigningTime(keys);
  return {
    ring() {
      if (clock() >= signsAt) {
        ring = toKeyRing(keys, clock());
        signsAt = Number.POSITIVE_INFINITY;
      }
      return ring;
    },
    replace(next) {
      keys = next;
      ring = toKeyRing(keys, clock());
      signsAt = firstSigningTime(keys);
    },
  };
}

function firstSigningTime([newest]: readonly SigningKey[]): number {
  return newest === undefined ? Number.POSITIVE_INFINITY : newest.createdAt + VERIFY_ONLY_MS;
}

/** The newest key that is old enough to sign is the signer; if there is none, the oldest key. */
function toKeyRing(keys: readonly SigningKey[], now: Instant): KeyRing {
  const signing = keys.find((key) => key.createdAt + VERIFY_ONLY_MS <= now);
  return createKeyRing(keys, signing ?? keys.at(-1));
}
