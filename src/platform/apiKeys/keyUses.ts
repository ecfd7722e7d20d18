import { type Clock, type Instant, MINUTE } from '../../lib/time.ts';
import type { ApiKeyId } from '../../model/apiKey.ts';
import type { ApiKeyStore, KeyUse } from '../../model/ports/apiKey.ts';

/** When API keys were used last, to the minute; in memory until it is flushed. */
export type KeyUses = {
  /** Costs a look into a table; writes nothing. */
  readonly note: (id: ApiKeyId) => void;
  /**
   * Writes down some of what was noted before the first call of a round.
   *
   * @returns whether the round goes on; between two calls requests may get their turn
   * @throws where it cannot be written; then it is kept for the next round
   */
  readonly flush: () => Promise<boolean>;
};

/** Keys written in one transaction. */
const PORTION = 500;

/** @param deps capacity: keys noted at most between two flushes; above it uses of further keys are not noted */
export function createKeyUses(deps: {
  readonly store: Pick<ApiKeyStore, 'recordUses'>;
  readonly clock: Clock;
  readonly capacity: number;
}): KeyUses {
  const noted = new Map<ApiKeyId, Instant>();
  let round: KeyUse[] = [];

  function forget(uses: readonly KeyUse[]): void {
    // Used again while it was written: that is for the next round.
    for (const { id, at } of uses) if (noted.get(id) === at) noted.delete(id);
  }

  return {
    note(id) {
      if (noted.size >= deps.capacity && !noted.has(id)) return;
      const now = deps.clock();
      noted.set(id, (now - (now % MINUTE)) as Instant);
    },
    async flush() {
      if (round.length === 0) round = Array.from(noted, ([id, at]) => ({ id, at }));
      const portion = round.splice(0, PORTION);
      if (portion.length === 0) return false;
      try {
        await deps.store.recordUses(portion);
      } catch (error) {
        round = [];
        throw error;
      }
      forget(portion);
      return round.length > 0;
    },
  };
}
