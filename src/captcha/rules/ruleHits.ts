import type { Instant } from '../../lib/time.ts';
import type { RuleHitRecord } from '../../model/ports/rules.ts';
import { toHour } from '../../model/statistics.ts';
import type { CountHit } from './rulings.ts';

/** Counts the hits of rules in memory until they are written. */
export type RuleHitCounter = {
  readonly count: CountHit;
  /**
   * Writes everything that was counted before the call, in batches. Records are dropped after `write` resolves; if it rejects, the next
   * call writes them again. Do not call it while a call is running.
   *
   * @throws whatever `write` throws
   */
  readonly flush: (write: (records: readonly RuleHitRecord[]) => Promise<void>) => Promise<void>;
  /** Adds what another thread has counted. */
  readonly merge: (records: readonly RuleHitRecord[]) => void;
  /** Adds to the number of lost hits. */
  readonly addLost: (hits: number) => void;
  /** Number of hits that are not written yet. */
  readonly pending: () => number;
  /** Number of hits lost for lack of space since the last call. */
  readonly takeLost: () => number;
};

/** Records per transaction. */
const BATCH_SIZE = 128;

/** @param capacity maximum number of rules with hits that are not written yet; the hits of further rules are lost */
export function createRuleHits(capacity: number): RuleHitCounter {
  /** By rule and hour, because hits are also stored by hour. */
  let active = new Map<string, RuleHitRecord>();
  /** Records that are being written, or could not be written. */
  let retired: RuleHitRecord[] = [];
  let lost = 0;

  async function writeRetired(write: (records: readonly RuleHitRecord[]) => Promise<void>): Promise<void> {
    while (retired.length > 0) {
      await write(retired.slice(0, BATCH_SIZE));
      retired = retired.slice(BATCH_SIZE);
    }
  }

  function add({ id, hits, lastHitAt }: RuleHitRecord): void {
    const key = `${id} ${toHour(lastHitAt)}`;
    const known = active.get(key);
    if (known === undefined && active.size + retired.length >= capacity) lost += hits;
    else {
      const latest = Math.max(known?.lastHitAt ?? 0, lastHitAt) as Instant;
      active.set(key, { id, hits: (known?.hits ?? 0) + hits, lastHitAt: latest });
    }
  }

  return {
    count: ({ id }, now) => add({ id, hits: 1, lastHitAt: now }),
    merge(records) {
      for (const record of records) add(record);
    },
    addLost(hits) {
      lost += hits;
    },
    async flush(write) {
      // A batch that may have been stored is repeated unchanged before any other.
      await writeRetired(write);
      retired = [...active.values()];
      active = new Map();
      await writeRetired(write);
    },
    pending: () => [...retired, ...active.values()].reduce((sum, { hits }) => sum + hits, 0),
    takeLost() {
      const taken = lost;
      lost = 0;
      return taken;
    },
  };
}
