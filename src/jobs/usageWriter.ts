import type { Random } from '../lib/ids.ts';
import type { StatisticsStore } from '../model/ports/statistics.ts';
import type { UsageRecord } from '../model/statistics.ts';

/**
 * Returns a function that writes a batch of records. After a failure, call it again with the same records: they keep their batch number,
 * so the store adds them only once, even if the failed call stored them. Other events are handled between batches.
 */
export function createUsageWriter(deps: {
  readonly store: Pick<StatisticsStore, 'add'>;
  readonly random: Random;
}): (records: readonly UsageRecord[]) => Promise<void> {
  const writer = deps.random(new Uint8Array(16)).toHex();
  let number = 1;
  return async (records) => {
    await deps.store.add(records, { writer, number });
    number++;
    await new Promise(setImmediate);
  };
}
