import { describe, expect, test } from 'bun:test';
import { createClockCheck } from '../../src/jobs/clocks.ts';
import { DAY, HOUR, type Instant, later, MINUTE, toSeconds } from '../../src/lib/time.ts';

const now = Date.UTC(2026, 0, 31, 12) as Instant;

/** Runs the check twice, with a key that exists since `createdAt` and was purged up to `purgedBefore`. */
async function check(createdAt: Instant, purgedBefore: Instant, isPaused = false) {
  const keys = [{ fingerprint: 1, createdAt }];
  const warnings: unknown[] = [];
  const run = createClockCheck({
    ledger: { purgedBefore: async (fingerprint) => (fingerprint === 1 ? toSeconds(purgedBefore) : 0) },
    newestKey: async () => keys[0] as (typeof keys)[0],
    rotate: async () => keys.unshift({ fingerprint: keys.length + 1, createdAt: now }),
    isPaused: () => isPaused,
    clock: () => now,
    log: { warn: (event, fields) => void warnings.push({ event, ...fields }) },
  });
  return { changed: [await run(), await run()], keys: keys.length, warnings };
}

describe('the check of the clock', () => {
  test.each([
    ['the last purge is an hour ago', later(now, -DAY), later(now, -HOUR)],
    ['the clock was set back by an hour, and every valid puzzle can be checked', later(now, -DAY), now],
    ['the key is slightly newer than the clock', later(now, MINUTE), later(now, -HOUR)],
  ])('changes nothing if %s', async (_, createdAt, purgedBefore) => {
    expect(await check(createdAt, purgedBefore)).toEqual({ changed: [0, 0], keys: 1, warnings: [] });
  });

  test.each([
    ['puzzles of the key would be rejected', later(now, -DAY), later(now, 1000), '2026-01-31T12:00:01.000Z'],
    ['the key is from the future', later(now, DAY), later(now, -HOUR), '2026-02-01T12:00:00.000Z'],
  ])('rotates the key once, and logs it, if %s', async (_, createdAt, purgedBefore, earlier_time) => {
    expect(await check(createdAt, purgedBefore)).toEqual({
      changed: [1, 0],
      keys: 2,
      warnings: [{ event: 'clock-set-back', earlier_time }],
    });
  });

  test('waits while the database fails', async () => {
    expect((await check(later(now, DAY), now, true)).changed).toEqual([0, 0]);
  });
});
