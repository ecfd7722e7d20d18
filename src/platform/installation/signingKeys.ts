import type { Random } from '../../lib/ids.ts';
import { type Clock, DAY, type Instant } from '../../lib/time.ts';
import { INSTALLATION, type SystemActor } from '../../model/actor.ts';
import type { SigningKey, SigningKeyStore } from '../../model/ports/signingKey.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';
import type { EntryFor } from '../audit.ts';

/** Use cases for the keys that sign puzzles. */
export type SigningKeys = {
  /** Lists the keys, newest first. Creates the first key if there is none. */
  readonly list: () => Promise<readonly SigningKey[]>;
  /** Creates a key that signs from now on. The old keys still verify. */
  readonly rotate: (actor: SystemActor) => Promise<SigningKey>;
  /** Deletes the keys whose last puzzle has expired. @returns their number */
  readonly prune: () => Promise<number>;
};

/** The longest validity of a puzzle, plus a day in case a clock was wrong; in milliseconds. */
const KEPT_AFTER_REPLACEMENT = SETTING_FIELDS.validitySeconds.max * 1000 + DAY;

/** @see SigningKeys */
export function createSigningKeys(deps: {
  readonly store: SigningKeyStore;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256. */
  readonly digest: (bytes: Uint8Array) => Uint8Array;
}): SigningKeys {
  /** The fingerprint is the first 4 bytes of the secret's SHA-256. If it is taken, another secret is generated. */
  async function create(actor: SystemActor): Promise<SigningKey> {
    const known = await deps.store.list();
    for (;;) {
      const secret = deps.random(new Uint8Array(32));
      const fingerprint = deps.digest(secret).slice(0, 4);
      if (known.some((key) => key.fingerprint.every((byte, i) => byte === fingerprint[i]))) continue;
      const key = { fingerprint, secret, createdAt: deps.clock() };
      const audited = { action: 'signing-key-rotated', subject: fingerprint.toHex() } as const;
      await deps.store.add(key, await deps.entryFor(actor, audited));
      return key;
    }
  }

  return {
    async list() {
      if ((await deps.store.list()).length === 0) await create(INSTALLATION);
      return deps.store.list();
    },
    rotate: create,
    prune: () => deps.store.prune((deps.clock() - KEPT_AFTER_REPLACEMENT) as Instant),
  };
}
