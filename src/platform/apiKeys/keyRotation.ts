import { done } from '../../lib/outcome.ts';
import { later, SECOND } from '../../lib/time.ts';
import type { Actor } from '../../model/actor.ts';
import { type ApiKey, KEEP_OLD_SECONDS, type KeepOld, type Scope, toSecretHint } from '../../model/apiKey.ts';
import { sha256Hex } from '../../sha256.ts';
import type { ApiKeys, ApiKeysDeps, KeyEntryFor, ManageKey } from './apiKeys.ts';

type RotationDeps = Pick<ApiKeysDeps, 'store' | 'clock'> & {
  readonly secretFor: (scope: Scope) => string;
  readonly manage: ManageKey;
  readonly entryFor: KeyEntryFor;
};

/** Use cases that replace the secret of a key. @see ApiKeys */
export function createRotations(deps: RotationDeps): Pick<ApiKeys, 'rotate' | 'rotateOwn' | 'endOldSecret'> {
  const { store, clock, manage, entryFor } = deps;

  async function replace(actor: Actor, key: ApiKey, keepOld: KeepOld, expectedHash?: string) {
    const secret = deps.secretFor(key.scope);
    const at = clock();
    const oldWorksUntil = later(at, KEEP_OLD_SECONDS[keepOld] * SECOND);
    const detail = keepOld === '0' ? '' : `, old secret works for ${keepOld}`;
    const entry = await entryFor(actor, 'key-rotated', key, detail);
    const rotation = {
      keyHash: sha256Hex(secret),
      hint: toSecretHint(secret),
      at,
      oldWorksUntil,
      expectedHash,
    };
    const rotated = await store.rotate(key.id, rotation, entry);
    return rotated.ok ? done({ key: rotated.value, secret }) : rotated;
  }

  return {
    async rotate(actor, id, keepOld) {
      const key = await manage(actor, id);
      return key.ok ? replace(actor, key.value, keepOld) : key;
    },
    async rotateOwn(actor, secret, keepOld) {
      const { keyId } = actor.limits;
      const key = keyId && (await store.byId(keyId));
      if (key === undefined) return { ok: false, problem: 'key-unknown' };
      return replace(actor, key, keepOld, sha256Hex(secret));
    },
    async endOldSecret(actor, id) {
      const key = await manage(actor, id);
      if (!key.ok) return key;
      return store.endOldSecret(id, clock(), await entryFor(actor, 'key-old-secret-ended', key.value));
    },
  };
}
