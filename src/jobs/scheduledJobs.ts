import { type Clock, DAY, HOUR, type Instant, later, secondsOf } from '../lib/time.ts';
import type { AuditStore } from '../model/ports/audit.ts';
import type { InvitationStore } from '../model/ports/invitation.ts';
import type { PropertyStore } from '../model/ports/property.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { StatisticsStore } from '../model/ports/statistics.ts';
import type { TaskStore } from '../model/ports/task.ts';
import { type Day, dayOf, type Hour, hourOf } from '../model/statistics.ts';
import type { Job } from './schedule.ts';

/** A clock that was set back by less than this brings no spent puzzle back to life. */
const CLAIM_GRACE = HOUR;

/** How long a client can read how its task ended. */
const TASK_KEPT = 7 * DAY;
/** How long what was deleted can be brought back by hand. */
const DELETED_KEPT = 30 * DAY;
/** How long statistics are kept by hour; the hours of a deleted property are days before it is forgotten. */
const HOURS_KEPT = 30 * 24;
/** How long they are kept by day: two years, one of which may have a day more. */
const DAYS_KEPT = 731;

export type JobDeps = {
  readonly ledger: ReplayLedger;
  readonly pruneSigningKeys: () => Promise<number>;
  readonly tasks: Pick<TaskStore, 'purge'>;
  readonly properties: Pick<PropertyStore, 'purge'>;
  readonly statistics: Pick<StatisticsStore, 'rollUp' | 'purge'>;
  readonly audit: Pick<AuditStore, 'purge'>;
  /** How long entries of the audit log are kept. */
  readonly auditDays: number;
  readonly invitations: Pick<InvitationStore, 'purge'>;
  /** @see createWarnOfExpiringKeys */
  readonly warnOfExpiringKeys: () => Promise<number>;
  readonly sessions: { readonly purge: () => Promise<number> };
  readonly clock: Clock;
};

/** The cron table. */
export function jobsOf(deps: JobDeps): readonly Job[] {
  const { ledger, pruneSigningKeys, tasks, properties, sessions, statistics, audit, invitations, clock } =
    deps;
  const before = (age: number): Instant => later(clock(), -age);
  const purgeClaims = () => ledger.purge(secondsOf(before(CLAIM_GRACE)));
  const oldestHour = () => (hourOf(clock()) - HOURS_KEPT) as Hour;
  const oldestDay = () => (dayOf(clock()) - DAYS_KEPT) as Day;
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
    {
      name: 'roll-up-statistics',
      pattern: '30 3 * * * *',
      run: () => inPortions(() => statistics.rollUp(oldestHour())),
    },
    {
      name: 'purge-statistics',
      pattern: '30 43 * * * *',
      run: () => inPortions(() => statistics.purge(oldestDay())),
    },
    {
      name: 'purge-audit',
      pattern: '30 37 * * * *',
      run: () => inPortions(() => audit.purge(before(deps.auditDays * DAY))),
    },
    {
      name: 'purge-invitations',
      pattern: '30 47 * * * *',
      run: () => inPortions(() => invitations.purge(clock())),
    },
    {
      name: 'warn-of-expiring-keys',
      pattern: '47 * * * * *',
      run: () => inPortions(deps.warnOfExpiringKeys),
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
