import { describe, expect, test } from 'bun:test';
import {
  type Activity,
  hasVerification,
  isSpike,
  toActivity,
  usualPuzzles,
} from '../../src/model/activity.ts';
import { type Bucket, COUNTER, COUNTS_SIZE, type Hour } from '../../src/model/statistics.ts';

const NOW = 500_000 as Hour;

/** The counts of an hour. @param ago hours before now */
function hour(ago: number, issued: number, verified = 0): Bucket<Hour> {
  const counts = new Uint32Array(COUNTS_SIZE);
  counts[COUNTER.issued] = issued;
  counts[COUNTER.verified] = verified;
  return { at: (NOW - ago) as Hour, counts };
}

describe('the activity of a property', () => {
  test('has all puzzles of its hours, and those of the busier of the last two', () => {
    const quiet = { hour: NOW, isSpike: false, verifiedHour: null };
    expect(toActivity(NOW, [], null)).toEqual({ ...quiet, issued: 0, recent: 0 });
    expect(toActivity(NOW, [hour(0, 5), hour(1, 7), hour(2, 100)], null)).toEqual({
      ...quiet,
      issued: 112,
      recent: 7,
    });
    expect(toActivity(NOW, [hour(0, 9), hour(1, 7)], null)).toMatchObject({ issued: 16, recent: 9 });
  });

  test('has no puzzles in hours without counts', () => {
    expect(toActivity(NOW, [{ at: NOW, counts: [] }], null)).toMatchObject({
      issued: 0,
      recent: 0,
      verifiedHour: null,
    });
  });

  test('has the hour of the last verification', () => {
    const before = (NOW - 30) as Hour;
    const verifiedHour = (hours: readonly Bucket<Hour>[], earlier: Hour | null) =>
      toActivity(NOW, hours, earlier).verifiedHour;
    expect(verifiedHour([hour(3, 1, 1), hour(2, 1, 4), hour(1, 1)], before)).toBe((NOW - 2) as Hour);
    expect(verifiedHour([hour(2, 1, 4), hour(3, 1, 1)], null)).toBe((NOW - 2) as Hour);
    expect(verifiedHour([hour(1, 9)], before)).toBe(before);
    expect(verifiedHour([hour(1, 9)], null)).toBeNull();
    expect([hour(0, 1, 1), hour(0, 1, 0)].map(({ counts }) => hasVerification(counts))).toEqual([
      true,
      false,
    ]);
    expect(hasVerification(new Uint32Array())).toBe(false);
  });

  test.each([
    ['is no spike with less than 120 puzzles in an hour', [hour(0, 119)], false],
    ['may be a spike with 120 puzzles in an hour and none before', [hour(0, 120)], true],
    ['is no spike with four times the average of the other hours', [hour(0, 400), hour(2, 2300)], false],
    ['may be a spike with more than that', [hour(1, 401), hour(2, 2300)], true],
  ])('%s', (_, hours, expected) => {
    expect(toActivity(NOW, hours, null).isSpike).toBe(expected);
  });
});

describe('a spike', () => {
  const activity = (recent: number): Activity => ({
    hour: NOW,
    issued: recent,
    recent,
    isSpike: true,
    verifiedHour: null,
  });

  test.each<[string, number, readonly Bucket<Hour>[], boolean]>([
    ['has at least 120 puzzles in an hour', 119, [hour(40, 1)], false],
    ['is one from 120 puzzles on', 120, [hour(40, 1)], true],
    ['is none on the first day of a property', 1000, [hour(23, 1)], false],
    ['is none without any hour before', 1000, [], false],
    ['can be one after a day', 1000, [hour(23, 1), hour(24, 1)], true],
    ['has more than twice the puzzles of the busiest hour', 400, [hour(30, 200), hour(40, 10)], false],
    ['is one with one puzzle more', 401, [hour(30, 200), hour(40, 10)], true],
  ])('%s', (_, recent, before, expected) => {
    expect(isSpike(activity(recent), before)).toBe(expected);
  });

  test('has more than four times the puzzles of an average hour of the week', () => {
    const steady = Array.from({ length: 168 }, (_, n) => hour(n + 2, 100));
    expect(isSpike(activity(400), steady)).toBe(false);
    expect(isSpike(activity(401), steady)).toBe(true);
  });
});

describe('the usual number of puzzles in an hour', () => {
  const usual = (...before: readonly Bucket<Hour>[]) => usualPuzzles(NOW, before);

  test('is unknown in the first day', () => {
    expect(usual()).toBeUndefined();
    expect(usual(hour(1, 5), hour(23, 9))).toBeUndefined();
  });

  test('is the median of the same hour on the days before, whatever the other hours had', () => {
    expect(usual(hour(24, 7))).toBe(7);
    expect(usual(hour(1, 900), hour(23, 800), hour(24, 7), hour(25, 700))).toBe(7);
    expect(usual(hour(24, 30), hour(48, 1), hour(72, 200))).toBe(30);
    expect(usual(hour(24, 30), hour(48, 1))).toBe(15.5);
    expect(usual(hour(24, 4), hour(48, 100), hour(72, 6), hour(96, 5))).toBe(5.5);
  });

  test('counts hours without puzzles after the first counts', () => {
    expect(usual(hour(24, 10), hour(72, 20))).toBe(10);
    expect(usual(hour(24, 10), hour(100, 20))).toBe(0);
    expect(usual({ at: (NOW - 24) as Hour, counts: [] })).toBe(0);
  });
});
