import type { Random } from '../lib/ids.ts';
import { pacer } from '../lib/pacer.ts';
import type { UsageBatch } from '../model/statistics.ts';

/**
 * Returns a function that writes a batch of records. After a failure, call it again with the same records: they keep their batch number,
 * so the store adds them only once, even if the failed call stored them. Other events are handled between batches.
 */
export function createUsageWriter<Item>(deps: {
  readonly add: (records: readonly Item[], batch: UsageBatch) => Promise<void>;
  readonly random: Random;
}): (records: readonly Item[]) => Promise<void> {
  const writer = deps.random(new Uint8Array(16)).toHex();
  let number = 1;
  return async (records) => {
    await deps.add(records, { writer, number });
    number++;
    await pacer.turn();
  };
}
