import type { ClaimLedger } from '../../../model/ports/replayLedger.ts';
import type { GroupsOptions } from './groups.ts';
import { countOnce } from './repeats.ts';

type OnceOptions = Pick<GroupsOptions, 'onCommit' | 'run' | 'health' | 'now'>;

/** Stores claims of requests that may be repeated, each in a transaction of its own. */
export function createOnce({ onCommit, run, health, now }: OnceOptions) {
  /** Number of requests that wait for a connection. */
  let waiting = 0;

  const claim: ClaimLedger['claimOnce'] = async (claim, maxCount, key) => {
    const startedAt = now();
    let isWaiting = true;
    waiting++;
    function endWait(): void {
      if (isWaiting) waiting--;
      isWaiting = false;
    }
    const options = { group: String(key.userId), onGranted: endWait };
    try {
      const presentations = await health.observe(() =>
        run((sql) => countOnce(sql, claim, maxCount, key), options),
      );
      onCommit?.({ claims: 1, milliseconds: now() - startedAt });
      return presentations;
    } finally {
      endWait();
    }
  };

  return { claim, waiting: () => waiting };
}
