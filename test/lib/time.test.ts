import { describe, expect, test } from 'bun:test';
import {
  createMonotonicTime,
  type Instant,
  instantFromIso,
  instantFromSeconds,
  later,
  SECOND,
  toIso,
  toSeconds,
} from '../../src/lib/time.ts';

describe('ISO 8601', () => {
  test.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T12:30', '2026-01-31T12:30:00.000Z'],
    ['2026-01-31T12:30:15', '2026-01-31T12:30:15.000Z'],
    ['2026-01-31T12:30:15Z', '2026-01-31T12:30:15.000Z'],
    ['2026-01-31T12:30:15.5Z', '2026-01-31T12:30:15.500Z'],
    ['2026-01-31T12:30:15.123456789Z', '2026-01-31T12:30:15.123Z'],
    ['2026-01-31T12:30+02:00', '2026-01-31T10:30:00.000Z'],
    ['2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
  ])('%s is %s, regardless of the system time zone', (text, expected) => {
    const instant = instantFromIso(text);
    expect(instant && toIso(instant)).toBe(expected);
  });

  test.each([
    '',
    'tomorrow',
    '2026',
    '2026-01',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '31.01.2026',
    '01/31/2026',
    '2026-01-31 12:30',
    '2026-01-31T12',
    '2026-01-31T25:00',
    '2026-01-31T12:60',
    '2026-01-31T12:30:15.Z',
    '2026-01-31T12:30:15+0200',
    '2026-01-31T12:30+99:99',
    '2026-01-31Z',
    ' 2026-01-31',
    '2026-01-31\n',
    '+002026-01-31',
    // Days that some parsers move to the next month.
    '2026-02-29',
    '2026-02-30',
    '2026-04-31T00:00:00Z',
    // Found by fuzzing: Bun 1.4.5 accepts this as a date, but not with a time after it.
    '0005-04-60',
  ])('%j is not a date', (text) => {
    expect(instantFromIso(text)).toBeUndefined();
  });
});

test('Unix seconds are rounded down, even before 1970', () => {
  expect(toSeconds(1999 as Instant)).toBe(1);
  expect(toSeconds(-1 as Instant)).toBe(-1);
  expect(instantFromSeconds(2)).toBe(2000 as Instant);
  expect(later(2000 as Instant, SECOND)).toBe(3000 as Instant);
});

describe('monotonic time', () => {
  test('follows the clock, and continues from the last reading when the clock is set back', () => {
    const monotonic = createMonotonicTime();
    const seen = [1000, 1500, 900, 950, 1000].map((now) => monotonic(now as Instant));
    expect(seen).toEqual([1000, 1500, 1500, 1550, 1600] as Instant[]);
  });
});
