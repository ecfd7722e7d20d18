import { describe, expect, test } from 'bun:test';
import { Cron } from 'croner';
import { createScheduledJobs } from '../../src/jobs/scheduledJobs.ts';
import { DAY, HOUR, type Instant, SECOND, toIso, toSeconds } from '../../src/lib/time.ts';
import type { StatisticsStore } from '../../src/model/ports/statistics.ts';
import type { PropertyId } from '../../src/model/property.ts';
import { createFakeLedger } from '../captcha/fakes.ts';

const now = Date.UTC(2026, 0, 31, 12) as Instant;

const NOTHING_TO_SUMMARIZE: StatisticsStore['summarize'] = async () => undefined;

/** The jobs with a ledger that has `rows` rows to purge, five at a time. */
function open(rows: number, isHeld = () => true, summarize = NOTHING_TO_SUMMARIZE, hasBackup = true) {
  const limits: number[] = [];
  const ledger = {
    ...createFakeLedger(),
    async purge(beforeSeconds: number) {
      limits.push(beforeSeconds);
      const purged = Math.min(5, rows);
      rows -= purged;
      return purged;
    },
  };
  const nothing = { purge: async () => 0 };
  const clock = () => now;
  const record = async (before: number) => {
    limits.push(before);
    return 0;
  };
  const stores = {
    tasks: nothing,
    properties: nothing,
    sessions: nothing,
    invitations: nothing,
    attempts: nothing,
    usedForms: { purge: record },
    statistics: { summarize, rollUp: record, purge: record },
    audit: { purge: record },
  };
  const jobs = createScheduledJobs({
    ledger,
    keyFingerprints: async () => [7],
    checkClock: async () => 1,
    confirmClock: async () => true,
    pruneSigningKeys: async () => 3,
    recordWidgetBuild: async () => 0,
    warnOfExpiringKeys: async () => 0,
    ...stores,
    auditDays: 90,
    backupSchedule: '30 3 * * *',
    backUp: async () => hasBackup,
    sessionMaxDays: 7,
    clock,
  });
  const run = async (name: string) => jobs.find((job) => job.name === name)?.run({ isHeld });
  return { jobs, limits, run };
}

describe('scheduled jobs', () => {
  test('have unique names and run at least once a day', () => {
    const { jobs } = open(0);
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
    for (const { name, pattern } of jobs) {
      const [first, second] = new Cron(pattern, { paused: true, timezone: 'UTC' }).nextRuns(2, new Date(now));
      const gap = (second?.getTime() ?? 0) - (first?.getTime() ?? 0);
      expect([name, gap >= 10 * SECOND && gap <= 24 * HOUR]).toEqual([name, true]);
    }
  });

  test('count a backup that failed as a failed run', async () => {
    const outcomeOf = async (hasSucceeded: boolean) => {
      try {
        return await open(0, () => true, NOTHING_TO_SUMMARIZE, hasSucceeded).run('back-up');
      } catch (error) {
        return String(error);
      }
    };
    expect(await outcomeOf(true)).toBe(0);
    expect(await outcomeOf(false)).toBe('Error: the backup failed, see backup-failed');
  });

  test('purge claims in batches until none is left', async () => {
    const { limits, run } = open(12);
    expect(await run('purge-claims')).toBe(12);
    expect(limits).toHaveLength(4);
  });

  test('retain claims for an hour after their puzzle expired, in case the clock is set back', async () => {
    const { limits, run } = open(0);
    await run('purge-claims');
    expect(limits).toEqual([toSeconds(now) - 3600]);
  });

  test('retain statistics by hour for 30 days, and by day for two years', async () => {
    const { limits, run } = open(0);
    await run('roll-up-statistics');
    await run('purge-statistics');
    const [hour = 0, day = 0] = limits;
    const times = [hour * HOUR, day * DAY].map((instant) => toIso(instant as Instant));
    expect(times).toEqual(['2026-01-01T12:00:00.000Z', '2024-01-31T00:00:00.000Z']);
  });

  test('retain the audit log for the configured number of days', async () => {
    const { limits, run } = open(0);
    await run('purge-audit');
    expect(limits).toEqual([now - 90 * 24 * HOUR]);
  });

  test('retain used form tokens as long as a session can last', async () => {
    const { limits, run } = open(0);
    await run('purge-used-forms');
    expect(limits).toEqual([now - 7 * DAY]);
  });

  test('stop after a batch if another server may have the lock', async () => {
    let checks = 0;
    const { limits, run } = open(100, () => checks++ < 2);
    expect(await run('purge-claims')).toBe(10);
    expect(limits).toHaveLength(2);
  });

  test('check and confirm the clock and record the build of the widget on every server, and do everything else on one server at a time', () => {
    const local = open(0).jobs.filter(({ isLocal }) => isLocal);
    expect(local.map(({ name }) => name)).toEqual(['check-clock', 'confirm-clock', 'record-widget-build']);
  });

  test('compute the activity of up to 160 batches of properties, and continue with the others', async () => {
    const starts: number[] = [];
    // 200 batches of one property.
    async function summarize(hour: number, after: number) {
      expect(hour).toBe(now / HOUR);
      starts.push(after);
      return after < 200 ? ((after + 1) as PropertyId) : undefined;
    }
    const { run } = open(0, undefined, summarize);
    await run('summarize-activity');
    expect(starts).toEqual(Array.from({ length: 160 }, (_, index) => index));
    starts.length = 0;
    await run('summarize-activity');
    expect([starts.at(0), starts.at(-1)]).toEqual([160, 200]);
    await run('summarize-activity');
    expect(starts[41]).toBe(0);
  });

  test('need a confirmed time if they delete data that a wrong clock makes look old', () => {
    const needing = open(0).jobs.filter(({ needsConfirmedClock }) => needsConfirmedClock);
    expect(needing.map(({ name }) => name).toSorted()).toEqual([
      'prune-signing-keys',
      'purge-audit',
      'purge-deleted',
      'purge-invitations',
      'purge-statistics',
      'purge-tasks',
      'roll-up-statistics',
    ]);
  });

  test('prune old signing keys', async () => {
    expect(await open(0).run('prune-signing-keys')).toBe(3);
  });
});
