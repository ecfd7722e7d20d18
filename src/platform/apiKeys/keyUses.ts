import { type Clock, type Instant, MINUTE } from '../../lib/time.ts';
import type { ApiKeyId, Principal } from '../../model/apiKey.ts';
import type { ApiKeyStore, KeyUse, OldUse } from '../../model/ports/apiKey.ts';

/** Maximum number of keys that one transaction writes. */
const BATCH_SIZE = 500;

/**
 * Times of the last use of API keys and of their replaced secrets, rounded down to the minute; in memory until they are flushed.
 *
 * @param deps capacity: maximum number of keys between two flushes; uses of additional keys are not recorded
 */
export function createKeyUses(deps: {
  readonly store: Pick<ApiKeyStore, 'recordUses'>;
  readonly clock: Clock;
  readonly capacity: number;
}) {
  const lastUses = new Map<ApiKeyId, Instant>();
  const oldUses = new Map<ApiKeyId, OldUse>();
  let round: KeyUse[] = [];

  function removeWritten(uses: readonly KeyUse[]): void {
    // A key that was used again in the meantime remains for the next round.
    for (const { id, at, old } of uses) {
      if (oldUses.get(id) === old) oldUses.delete(id);
      if (lastUses.get(id) === at && !oldUses.has(id)) lastUses.delete(id);
    }
  }

  /** Keeps the object of the same minute, so that `removeWritten` recognizes it. */
  function recordOld(id: ApiKeyId, at: Instant, replacedAt: Instant): void {
    const known = oldUses.get(id);
    if (known?.at !== at || known.replacedAt !== replacedAt) oldUses.set(id, { at, replacedAt });
  }

  /** @returns false if there is no space for another key */
  function recordUse(id: ApiKeyId, at: Instant): boolean {
    if (lastUses.size >= deps.capacity && !lastUses.has(id)) return false;
    lastUses.set(id, at);
    return true;
  }

  return {
    /** Records a use in memory, which costs one map lookup. */
    record({ keyId: id, replacedAt }: Pick<Principal, 'keyId' | 'replacedAt'>): void {
      const now = deps.clock();
      const at = (now - (now % MINUTE)) as Instant;
      if (recordUse(id, at) && replacedAt !== undefined) recordOld(id, at, replacedAt);
    },
    /** Adds the uses that another thread has recorded. */
    merge(uses: readonly KeyUse[]): void {
      for (const { id, at: usedAt, old } of uses) {
        const at = Math.max(usedAt, lastUses.get(id) ?? 0) as Instant;
        if (recordUse(id, at) && old !== undefined) recordOld(id, old.at, old.replacedAt);
      }
    },
    /**
     * Writes a batch of the uses that were recorded before the first call of a round.
     *
     * @returns whether the round continues; the caller can handle requests between two calls
     * @throws if the batch cannot be written; it is then kept for the next round
     */
    async flush(): Promise<boolean> {
      if (round.length === 0) round = Array.from(lastUses, ([id, at]) => ({ id, at, old: oldUses.get(id) }));
      const batch = round.splice(0, BATCH_SIZE);
      if (batch.length === 0) return false;
      try {
        await deps.store.recordUses(batch);
      } catch (error) {
        round = [];
        throw error;
      }
      removeWritten(batch);
      return round.length > 0;
    },
  };
}
