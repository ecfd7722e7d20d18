import type { Random } from '../../lib/ids.ts';
import { type Clock, DAY, type Instant, later, toIso } from '../../lib/time.ts';
import { INSTALLATION, type SystemActor } from '../../model/actor.ts';
import {
  type InstallationStore,
  type SigningKey,
  type SigningKeyStore,
  VERIFY_ONLY_MS,
} from '../../model/ports/installation.ts';
import { SETTING_FIELDS } from '../../model/propertyFields.ts';
import { sha256 } from '../../sha256.ts';
import type { EntryFor } from '../audit.ts';
import { stepAt } from '../authentication/totp.ts';

type RotationOptions = {
  /** Deletes the old keys. All puzzles that were signed with them are then invalid. */
  readonly revokesOld?: boolean;
  /** The key signs at once, because the ledger rejects the puzzles of the old keys. */
  readonly replacesRejected?: boolean;
};

/** Use cases for the keys that sign puzzles. */
type SigningKeys = ReturnType<typeof createSigningKeys>;

/** The longest validity of a puzzle, plus a day in case a clock was wrong; in milliseconds. */
const KEPT_AFTER_REPLACEMENT = SETTING_FIELDS.validitySeconds.max * 1000 + DAY;

/** @see SigningKeys */
export function createSigningKeys(deps: {
  readonly store: SigningKeyStore;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
}) {
  /** The fingerprint is the first 4 bytes of the secret's SHA-256. If it is taken, another secret is generated. */
  async function generate(): Promise<SigningKey> {
    const known = await deps.store.list();
    for (;;) {
      const secret = deps.random(new Uint8Array(32));
      const fingerprint = sha256(secret).slice(0, 4);
      if (known.some((key) => key.fingerprint.every((byte, i) => byte === fingerprint[i]))) continue;
      return { fingerprint, secret, createdAt: deps.clock() };
    }
  }

  async function prepare(actor: SystemActor, { revokesOld, replacesRejected }: RotationOptions) {
    const generated = await generate();
    // All threads and nodes consider a key of this age old enough to sign.
    const createdAt = later(generated.createdAt, replacesRejected ? -VERIFY_ONLY_MS : 0);
    const object = generated.fingerprint.toHex() + (revokesOld ? ', old keys revoked' : '');
    const entry = await deps.entryFor(actor, { action: 'signing-key-rotated', object });
    return { key: { ...generated, createdAt }, entry };
  }

  async function rotate(actor: SystemActor, options: RotationOptions = {}): Promise<SigningKey> {
    const { key, entry } = await prepare(actor, options);
    if (options.revokesOld) await deps.store.replaceAll(key, entry);
    else await deps.store.add(key, entry);
    return key;
  }

  return {
    /** Lists the keys, newest first. Creates the first key if there is none. */
    async list(): Promise<readonly SigningKey[]> {
      if ((await deps.store.list()).length === 0) await rotate(INSTALLATION);
      return deps.store.list();
    },
    /** Creates a key, which signs after VERIFY_ONLY_MS. The old keys still verify. */
    rotate,
    /**
     * Creates a key that signs at once, after claims were lost and the ledger rejects the puzzles of all other keys.
     *
     * @returns false, without a change, if another node has already done so
     */
    async replaceAfterLoss(): Promise<boolean> {
      const { key, entry } = await prepare(INSTALLATION, { replacesRejected: true });
      return deps.store.addAfterLoss(key, entry);
    },
    /** @returns a new key that is not stored */
    generate,
    /** Deletes the keys whose last puzzle has expired. @returns their number */
    prune: (): Promise<number> => deps.store.prune((deps.clock() - KEPT_AFTER_REPLACEMENT) as Instant),
  };
}

/**
 * Creates the use case that makes the database of a backup safe to use. Puzzles that were issued before the backup may have been verified
 * after it, so their signing keys are deleted. All sessions are deleted, because users may have ended some of them after the backup.
 */
export function createCompleteRestore(deps: {
  readonly store: Pick<InstallationStore, 'completeRestore'>;
  readonly signingKeys: Pick<SigningKeys, 'generate'>;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
}) {
  return async (actor: SystemActor, backupAt: Instant): Promise<void> => {
    const signingKey = await deps.signingKeys.generate();
    const object = `backup of ${toIso(backupAt)}`;
    const entry = await deps.entryFor(actor, { action: 'backup-restored', object });
    const usedStep = stepAt(deps.clock());
    await deps.store.completeRestore({ signingKey, usedStep, backupAt }, entry);
  };
}
