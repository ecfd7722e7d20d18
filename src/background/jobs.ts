import { type Clock, DAY, HOUR, type Instant, later, secondsOf } from '../lib/time.ts';
import type { PropertyStore, ReplayLedger, TaskStore } from '../model/ports.ts';
import type { Job } from './schedule.ts';

/** A clock that was set back by less than this brings no spent puzzle back to life. */
const CLAIM_GRACE = HOUR;

/** How long a client can read how its task ended. */
const TASK_KEPT = 7 * DAY;
/** How long what was deleted can be brought back by hand. */
const DELETED_KEPT = 30 * DAY;

export type JobDeps = {
  readonly ledger: ReplayLedger;
  readonly pruneSigningKeys: () => Promise<number>;
  readonly tasks: Pick<TaskStore, 'purge'>;
  readonly properties: Pick<PropertyStore, 'purge'>;
  readonly sessions: { readonly purge: () => Promise<number> };
  readonly clock: Clock;
};

/** The cron table. */
export function jobsOf(deps: JobDeps): readonly Job[] {
  const { ledger, pruneSigningKeys, tasks, properties, sessions, clock } = deps;
  const before = (age: number): Instant => later(clock(), -age);
  const purgeClaims = () => ledger.purge(secondsOf(before(CLAIM_GRACE)));
  return [
    { name: 'purge-claims', pattern: '17 * * * * *', run: () => inPortions(purgeClaims) },
    { name: 'prune-signing-keys', pattern: '0 7 * * * *', run: pruneSigningKeys },
    {
      name: 'purge-tasks',
      pattern: '30 11 * * * *',
      run: () => inPortions(() => tasks.purge(before(TASK_KEPT))),
    },
    {
      name: 'purge-deleted',
      pattern: '30 23 * * * *',
      run: () => inPortions(() => properties.purge(before(DELETED_KEPT))),
    },
    { name: 'purge-sessions', pattern: '30 57 * * * *', run: () => inPortions(sessions.purge) },
  ];
}

/** In portions, between which requests get their turn. */
async function inPortions(purge: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const purged = await purge();
    total += purged;
    if (purged === 0) return total;
    await new Promise(setImmediate);
  }
}
