import type { Log } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import { type Clock, DAY, HOUR, type Instant, later, toIso, toSeconds } from '../lib/time.ts';
import type { ApiKey } from '../model/apiKey.ts';
import { DAYS_RETAINED, HOURS_RETAINED } from '../model/period.ts';
import type { ApiKeyStore } from '../model/ports/apiKey.ts';
import type { AuditStore } from '../model/ports/audit.ts';
import type { InvitationStore } from '../model/ports/organization.ts';
import type { PropertyStore } from '../model/ports/property.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { AttemptStore, UsedFormStore } from '../model/ports/session.ts';
import type { StatisticsStore } from '../model/ports/statistics.ts';
import type { TaskStore } from '../model/ports/task.ts';
import { type Day, type Hour, toDay, toHour } from '../model/statistics.ts';
import type { Job } from './schedule.ts';

/** Retention of claims after their puzzle has expired. If the clock is set back by less, puzzles stay valid. */
const CLAIM_GRACE = HOUR;

/** Retention of finished tasks. */
const TASK_RETENTION = 7 * DAY;
/** Retention of deleted rows, which can be restored manually; at least the retention of hourly statistics. */
const DELETED_RETENTION = 30 * DAY;

/**
 * Maximum number of calls per minute that compute activity, of up to 128 properties each: with 100,000 properties, the activity is at
 * most five minutes old.
 */
const ACTIVITY_CALLS = 160;

export type JobDeps = {
  readonly ledger: Pick<ReplayLedger, 'purge'>;
  /** Returns the fingerprints of all signing keys, as u32. */
  readonly keyFingerprints: () => Promise<readonly number[]>;
  /** @see createClockCheck */
  readonly checkClock: () => Promise<number>;
  /** @see createClockConfirmation */
  readonly confirmClock: () => Promise<boolean>;
  readonly pruneSigningKeys: () => Promise<number>;
  readonly tasks: Pick<TaskStore, 'purge'>;
  readonly properties: Pick<PropertyStore, 'purge'>;
  readonly statistics: Pick<StatisticsStore, 'rollUp' | 'purge' | 'summarize'>;
  readonly audit: Pick<AuditStore, 'purge'>;
  /** Retention of audit log entries, in days. */
  readonly auditDays: number;
  readonly invitations: Pick<InvitationStore, 'purge'>;
  /** @see createWarnOfExpiringKeys */
  readonly warnOfExpiringKeys: () => Promise<number>;
  /** Records that the server serves its build of the widget. @returns the number of stored builds */
  readonly recordWidgetBuild: () => Promise<number>;
  readonly sessions: { readonly purge: () => Promise<number> };
  readonly attempts: Pick<AttemptStore, 'purge'>;
  readonly usedForms: Pick<UsedFormStore, 'purge'>;
  /** Maximum lifetime of a session, in days. Used form tokens are retained for as long, because a form needs a session. */
  readonly sessionMaxDays: number;
  /** When `backUp` runs, as a cron expression. */
  readonly backupSchedule?: string | undefined;
  /** Creates a backup, and returns whether it succeeded; undefined if no schedule is configured. */
  readonly backUp?: (() => Promise<boolean>) | undefined;
  readonly clock: Clock;
};

/** @returns the jobs of a running server */
export function createScheduledJobs(deps: JobDeps): readonly Job[] {
  const { ledger, pruneSigningKeys, tasks, properties, sessions, statistics, audit, invitations, clock } =
    deps;
  const before = (age: number): Instant => later(clock(), -age);
  const purgeClaims = async () => {
    const keys = await deps.keyFingerprints();
    return ledger.purge(toSeconds(before(CLAIM_GRACE)), keys);
  };
  const oldestHour = () => (toHour(clock()) - HOURS_RETAINED) as Hour;
  const oldestDay = () => (toDay(clock()) - DAYS_RETAINED) as Day;
  const purgeDeleted = () => properties.purge(before(DELETED_RETENTION));
  const purgeAttempts = () => deps.attempts.purge(clock());
  const purgeForms = () => deps.usedForms.purge(before(deps.sessionMaxDays * DAY));
  return [
    { name: 'purge-claims', pattern: '17 * * * * *', run: inBatches(purgeClaims) },
    // Every server checks its own clock.
    { name: 'check-clock', pattern: '*/10 * * * * *', isLocal: true, run: deps.checkClock },
    // Every server compares its own clocks. The interval is shorter than the tolerance of an hour.
    { name: 'confirm-clock', pattern: '19 */10 * * * *', isLocal: true, run: createConfirmClock(deps) },
    // Every server has its own build. The job keeps builds that are in use.
    { name: 'record-widget-build', pattern: '23 */10 * * * *', isLocal: true, run: deps.recordWidgetBuild },
    { name: 'prune-signing-keys', pattern: '0 7 * * * *', needsConfirmedClock: true, run: pruneSigningKeys },
    ...withConfirmedClock([
      { name: 'purge-tasks', pattern: '30 11 * * * *', work: () => tasks.purge(before(TASK_RETENTION)) },
      { name: 'purge-deleted', pattern: '30 23 * * * *', work: purgeDeleted },
      { name: 'roll-up-statistics', pattern: '30 3 * * * *', work: () => statistics.rollUp(oldestHour()) },
      { name: 'purge-statistics', pattern: '30 43 * * * *', work: () => statistics.purge(oldestDay()) },
      {
        name: 'purge-audit',
        pattern: '30 37 * * * *',
        work: () => audit.purge(before(deps.auditDays * DAY)),
      },
      { name: 'purge-invitations', pattern: '30 47 * * * *', work: () => invitations.purge(clock()) },
    ]),
    { name: 'summarize-activity', pattern: '27 * * * * *', run: createSummarizeActivity(deps) },
    { name: 'warn-of-expiring-keys', pattern: '47 * * * * *', run: inBatches(deps.warnOfExpiringKeys) },
    { name: 'purge-sessions', pattern: '30 57 * * * *', run: inBatches(sessions.purge) },
    { name: 'purge-sign-in-failures', pattern: '37 */10 * * * *', run: inBatches(purgeAttempts) },
    { name: 'purge-used-forms', pattern: '30 17 * * * *', run: inBatches(purgeForms) },
    ...backupJobs(deps),
  ];
}

type Batches = Pick<Job, 'name' | 'pattern'> & { readonly work: () => Promise<number> };

/** With a wrong clock, these jobs would delete data too early. */
function withConfirmedClock(jobs: readonly Batches[]): readonly Job[] {
  return jobs.map(({ work, ...job }) => ({ ...job, needsConfirmedClock: true, run: inBatches(work) }));
}

function createConfirmClock({ confirmClock }: JobDeps): Job['run'] {
  return async () => {
    await confirmClock();
    return 0;
  };
}

/** Computes the activity of the next properties, and continues with the others in the next run. */
function createSummarizeActivity({ statistics, clock }: JobDeps): Job['run'] {
  let after = 0;
  return async (lock) => {
    for (let calls = 0; calls < ACTIVITY_CALLS && lock.isHeld(); calls++) {
      const last = await statistics.summarize(toHour(clock()), after);
      after = last ?? 0;
      if (last === undefined) break;
      await pacer.turn();
    }
    return 0;
  };
}

/** The backup logs the reason of a failure itself. */
function backupJobs({ backupSchedule: pattern, backUp }: JobDeps): readonly Job[] {
  if (pattern === undefined || backUp === undefined) return [];
  async function run(): Promise<number> {
    if ((await backUp?.()) === false) throw new Error('the backup failed, see backup-failed');
    return 0;
  }
  return [{ name: 'back-up', pattern, run }];
}

/** Works in batches until nothing is left or the lock is lost. Other events are handled between batches. @returns a job that returns the total */
function inBatches(purge: () => Promise<number>): Job['run'] {
  return async (lock) => {
    let total = 0;
    while (lock.isHeld()) {
      const purged = await purge();
      total += purged;
      if (purged === 0) break;
      await pacer.turn();
    }
    return total;
  };
}

/**
 * Logs a warning 14 days, 7 days, and 1 day before an API key expires. The store records each warning before it is logged, so that
 * a restart does not repeat it.
 *
 * @returns a function that logs a batch of due warnings and returns their number; 0 if none are left
 */
export function createWarnOfExpiringKeys(deps: {
  readonly apiKeys: Pick<ApiKeyStore, 'markExpiring'>;
  /** Returns the ids of the key and of its owner that clients see. */
  readonly idsOf: (key: ApiKey) => Readonly<Record<string, string>>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
}): () => Promise<number> {
  const { apiKeys, idsOf, log, clock } = deps;
  return async () => {
    const due = await apiKeys.markExpiring(clock());
    for (const { key, days } of due) {
      log.warn('api-key-expiring', {
        ...idsOf(key),
        name: key.name,
        scope: key.scope,
        days,
        expires_at: key.expiresAt && toIso(key.expiresAt),
      });
    }
    return due.length;
  };
}
