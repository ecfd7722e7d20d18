import { beforeEach, describe, expect, test } from 'bun:test';
import { createClockConfirmation } from '../../src/jobs/clocks.ts';
import { startSchedule } from '../../src/jobs/schedule.ts';
import { createScheduledJobs } from '../../src/jobs/scheduledJobs.ts';
import { createLog } from '../../src/lib/log.ts';
import { DAY, HOUR, type Instant, later, MINUTE } from '../../src/lib/time.ts';
import { LOG_LIMITS } from '../../src/model/logEvents.ts';
import type { ClockOffset } from '../../src/model/ports/cluster.ts';
import type { ClockRecord } from '../../src/model/ports/installation.ts';
import { createFakeLedger } from '../captcha/fakes.ts';
import { waitUntil } from '../support/waitUntil.ts';

const start = Date.UTC(2026, 0, 31, 12) as Instant;
const RETENTION_DAYS = 90;

/** The time of the machine, which only `pass` changes on both clocks. */
let time: Instant;
let monotonicMs: number;
let record: ClockRecord | undefined;
let offset: ClockOffset | undefined;
let logged: Record<string, unknown>[];

beforeEach(() => {
  [time, monotonicMs, record, offset, logged] = [start, 0, undefined, undefined, []];
});

function pass(milliseconds: number): void {
  time = later(time, milliseconds);
  monotonicMs += milliseconds;
}

const createTestLog = () =>
  createLog({
    limits: LOG_LIMITS,
    level: 'info',
    format: 'json',
    clock: () => time,
    write: (line) => logged.push(JSON.parse(line)),
  });

/** What a server has in memory; a new one starts with the stored record. */
const openConfirmation = (databaseOffset?: () => ClockOffset | undefined) =>
  createClockConfirmation({
    installation: {
      clockRecord: async () => record,
      async recordClock(next) {
        record = next;
      },
    },
    databaseOffset,
    clock: () => time,
    now: () => monotonicMs,
    log: createTestLog(),
  });

describe('the audit log', () => {
  /** Runs the job `purge-audit` every second. The log has one entry, from the start. */
  async function startPurge() {
    const purged: number[] = [];
    const confirmClock = openConfirmation();
    await confirmClock();
    const nothing = { purge: async () => 0 };
    const jobs = createScheduledJobs({
      ledger: createFakeLedger(),
      keyFingerprints: async () => [],
      checkClock: async () => 0,
      confirmClock,
      pruneSigningKeys: async () => 0,
      recordWidgetBuild: async () => 0,
      warnOfExpiringKeys: async () => 0,
      tasks: nothing,
      properties: nothing,
      sessions: nothing,
      invitations: nothing,
      attempts: nothing,
      usedForms: nothing,
      statistics: { summarize: async () => undefined, rollUp: async () => 0, ...nothing },
      audit: {
        async purge(before) {
          if (before <= start || purged.length > 0) return 0;
          purged.push(before);
          return 1;
        },
      },
      auditDays: RETENTION_DAYS,
      sessionMaxDays: 7,
      clock: () => time,
    });
    let runs = 0;
    const schedule = startSchedule({
      jobs: jobs
        .filter(({ name }) => name === 'purge-audit')
        .map((job) => ({ ...job, pattern: '* * * * * *' })),
      exclusively: (_, work) => work({ isHeld: () => true }),
      isClockConfirmed: confirmClock,
      isClockWrong: () => false,
      log: createTestLog(),
      onRun: () => runs++,
    });
    const awaitEvent = (event: string) =>
      waitUntil(event, () => logged.some((entry) => entry.event === event));
    return { purged, schedule, awaitEvent, runs: () => runs };
  }

  // A clock that was 400 days ahead for a minute made every entry look old, so the job deleted the whole log.
  test('survives a clock that is 400 days ahead for a while', async () => {
    const { purged, schedule, awaitEvent, runs } = await startPurge();
    time = later(time, 400 * DAY);
    await awaitEvent('clock-unconfirmed');
    pass(MINUTE);
    time = later(time, -400 * DAY);
    await awaitEvent('clock-confirmed');
    await waitUntil('the job runs', () => runs() > 0);
    schedule.stop();
    expect(purged).toEqual([]);
    expect(logged).toMatchObject([
      {
        event: 'clock-unconfirmed',
        level: 'warn',
        source: 'elapsed-time',
        expected_time: '2026-01-31T12:00:00.000Z',
        remaining_hours: 24,
      },
      { event: 'clock-confirmed', level: 'info' },
    ]);
  });

  test('is purged when the time has really passed', async () => {
    const { purged, schedule, awaitEvent } = await startPurge();
    pass((RETENTION_DAYS + 1) * DAY);
    await awaitEvent('job-done');
    schedule.stop();
    expect(purged).toEqual([later(start, DAY)]);
    expect(logged).toMatchObject([{ event: 'job-done', job: 'purge-audit', changed: 1 }]);
  });
});

test('a server that starts with another time waits for 24 hours of running, also across restarts', async () => {
  await openConfirmation()();
  time = later(time, 2 * HOUR);
  for (let hours = 0; hours < 24; hours += 6) {
    const confirm = openConfirmation();
    expect(await confirm()).toBe(false);
    pass(6 * HOUR);
    expect(await confirm()).toBe(hours === 18);
  }
  expect(logged.map(({ event, remaining_hours }) => remaining_hours ?? event)).toEqual([
    ...[24, 18, 12, 6],
    'clock-confirmed',
  ]);
});

test('simultaneous callers share a reading', async () => {
  const confirm = openConfirmation();
  await confirm();
  pass(30 * MINUTE);
  expect(await Promise.all([confirm(), confirm()])).toEqual([true, true]);
  expect(record).toEqual({ confirmedTime: time, seenTime: time, ranMs: 0 });
});

test('with a database on another machine, its clock has to agree too', async () => {
  const confirm = openConfirmation(() => offset);
  expect([await confirm(), record]).toEqual([false, undefined]);
  offset = { offsetMs: 1, uncertaintyMs: 1 };
  expect(await confirm()).toBe(true);
  const stored = record;
  offset = { offsetMs: 10 * MINUTE, uncertaintyMs: 1 };
  time = later(time, 10 * MINUTE);
  expect([await confirm(), await confirm(), record]).toEqual([false, false, stored]);
  offset = { offsetMs: 0, uncertaintyMs: 1 };
  expect(await confirm()).toBe(true);
  expect(logged).toMatchObject([
    {
      event: 'clock-unconfirmed',
      source: 'database',
      expected_time: '2026-01-31T12:00:00.000Z',
      remaining_hours: null,
    },
    { event: 'clock-confirmed' },
  ]);
});
