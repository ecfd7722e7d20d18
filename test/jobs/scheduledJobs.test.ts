import { describe, expect, test } from 'bun:test';
import { Cron } from 'croner';
import { jobsOf } from '../../src/jobs/scheduledJobs.ts';
import { DAY, HOUR, type Instant, isoOf, MINUTE, secondsOf } from '../../src/lib/time.ts';
import { createFakeLedger } from '../captcha/fakes.ts';

const now = Date.UTC(2026, 0, 31, 12) as Instant;

/** The jobs, with a ledger that has so many rows to purge, some at a time. */
function open(rows: number, portion = 5) {
  const asked: number[] = [];
  const ledger = {
    ...createFakeLedger(),
    async purge(beforeSeconds: number) {
      asked.push(beforeSeconds);
      const purged = Math.min(portion, rows);
      rows -= purged;
      return purged;
    },
  };
  const quiet = { purge: async () => 0 };
  const clock = () => now;
  const note = async (before: number) => {
    asked.push(before);
    return 0;
  };
  const stores = {
    tasks: quiet,
    properties: quiet,
    sessions: quiet,
    invitations: quiet,
    statistics: { rollUp: note, purge: note },
    audit: { purge: note },
  };
  const jobs = jobsOf({
    ledger,
    pruneSigningKeys: async () => 3,
    warnOfExpiringKeys: async () => 0,
    ...stores,
    auditDays: 90,
    clock,
  });
  const run = async (name: string) => jobs.find((job) => job.name === name)?.run();
  return { jobs, asked, run };
}

describe('the chores', () => {
  test('have names of their own and come around at least once a day', () => {
    const { jobs } = open(0);
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length);
    for (const { name, pattern } of jobs) {
      const [first, second] = new Cron(pattern, { paused: true, timezone: 'UTC' }).nextRuns(2, new Date(now));
      const gap = (second?.getTime() ?? 0) - (first?.getTime() ?? 0);
      expect([name, gap >= MINUTE && gap <= 24 * HOUR]).toEqual([name, true]);
    }
  });

  test('forget claims in portions until none is left', async () => {
    const { asked, run } = open(12);
    expect(await run('purge-claims')).toBe(12);
    expect(asked).toHaveLength(4);
  });

  test('keep claims for an hour after their puzzle expired, for a clock that is set back', async () => {
    const { asked, run } = open(0);
    await run('purge-claims');
    expect(asked).toEqual([secondsOf(now) - 3600]);
  });

  test('keep statistics by hour for 30 days, then by day for two years', async () => {
    const { asked, run } = open(0);
    await run('roll-up-statistics');
    await run('purge-statistics');
    const [hour = 0, day = 0] = asked;
    const told = [hour * HOUR, day * DAY].map((instant) => isoOf(instant as Instant));
    expect(told).toEqual(['2026-01-01T12:00:00.000Z', '2024-01-31T00:00:00.000Z']);
  });

  test('keep the audit log for as many days as are set', async () => {
    const { asked, run } = open(0);
    await run('purge-audit');
    expect(asked).toEqual([now - 90 * 24 * HOUR]);
  });

  test('drop old signing keys', async () => {
    expect(await open(0).run('prune-signing-keys')).toBe(3);
  });
});
