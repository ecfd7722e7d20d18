import { describe, expect, test } from 'bun:test';
import { DAY, HOUR, type Instant, instantFromIso } from '../../src/lib/time.ts';
import { type PeriodProblem, periodOf, previousOf, STEP_LENGTHS } from '../../src/model/period.ts';
import { expectOk } from '../support/server.ts';

const NOW = Date.UTC(2026, 2, 31, 15, 30) as Instant;

function instant(text: string): Instant {
  return instantFromIso(text) ?? (Number.NaN as Instant);
}

function custom(from: string, until: string) {
  return periodOf({ from: instant(from), until: instant(until) }, NOW);
}

function startsOf(from: string, until: string) {
  const { step, first, count, shift, isUnfinished } = expectOk(custom(from, until));
  const iso = (number: number) => new Date(number * STEP_LENGTHS[step]).toISOString().slice(0, 13);
  return [step, iso(first), iso(first + count - 1), iso(first - shift), isUnfinished];
}

describe('a custom range', () => {
  test.each([
    ['2026-03-30', '2026-03-31', ['hour', '2026-03-30T00', '2026-03-30T23', '2026-03-29T00', false]],
    // Today: until the current hour, compared with the same hours of yesterday.
    ['2026-03-31', '2026-04-01', ['hour', '2026-03-31T00', '2026-03-31T15', '2026-03-30T00', true]],
    ['2026-03-25', '2026-04-01', ['hour', '2026-03-25T00', '2026-03-31T15', '2026-03-18T00', true]],
    ['2026-03-24', '2026-04-01', ['day', '2026-03-24T00', '2026-03-31T00', '2026-03-16T00', true]],
    ['2026-03-01T15:59:59Z', '2026-03-02', ['day', '2026-03-01T00', '2026-03-01T00', '2026-02-28T00', false]],
    [
      '2026-03-31T14:59Z',
      '2026-03-31T15:01Z',
      ['hour', '2026-03-31T14', '2026-03-31T15', '2026-03-30T14', true],
    ],
    [
      '2026-03-31T13:00Z',
      '2026-03-31T15:00Z',
      ['hour', '2026-03-31T13', '2026-03-31T14', '2026-03-30T13', false],
    ],
    ['2024-03-31', '2025-04-01', ['day', '2024-03-31T00', '2025-03-31T00', '2023-03-31T00', false]],
  ])('from %s until %s has the steps %p', (from, until, expected) => {
    expect<unknown>(startsOf(from, until)).toEqual(expected);
  });

  test.each<[string, string, PeriodProblem]>([
    ['2026-03-30', '2026-03-30', 'period-reversed'],
    ['2026-03-30', '2026-03-29', 'period-reversed'],
    ['2026-03-31T15:31Z', '2026-03-31T18:00Z', 'period-future'],
    ['2026-03-31', '2026-04-01T00:00:00.001Z', 'period-future'],
    ['2024-03-30', '2024-04-30', 'period-too-old'],
    ['2025-03-30', '2026-04-01', 'period-too-long'],
  ])('from %s until %s is rejected: %s', (from, until, problem) => {
    expect(custom(from, until)).toEqual({ ok: false, problem });
  });
});

test('a custom range can begin now', () => {
  expect(expectOk(custom('2026-03-31T15:30Z', '2026-03-31T16:00Z'))).toMatchObject({
    range: 'custom',
    step: 'hour',
    count: 1,
  });
});

test.each([
  ['24h', 'hour', 24],
  ['7d', 'hour', 168],
  ['30d', 'day', 30],
  ['1y', 'day', 365],
] as const)('the range %s has a step for each %s and ends with the current one', (range, step, count) => {
  const first = Math.floor(NOW / STEP_LENGTHS[step]) + 1 - count;
  expect(expectOk(periodOf(range, NOW))).toEqual({
    range,
    step,
    first,
    count,
    shift: count,
    isUnfinished: true,
  });
});

test('the previous period is available as long as its steps are stored', () => {
  const previous = (from: string, until: string) => previousOf(expectOk(custom(from, until)), NOW);
  expect(previous('2026-03-20', '2026-03-21')).toEqual({ first: Date.UTC(2026, 2, 19) / HOUR, count: 24 });
  expect(previous('2026-03-02', '2026-03-03')).toBeUndefined();
  expect(previous('2026-03-02T15:00Z', '2026-03-02T16:00Z')).toBeUndefined();
  expect(previous('2026-03-02T16:00Z', '2026-03-02T17:00Z')).toMatchObject({ count: 1 });
  expect(previous('2025-03-31', '2026-03-31')).toEqual({ first: Date.UTC(2024, 2, 31) / DAY, count: 365 });
  expect(previous('2025-03-29', '2026-03-29')).toBeUndefined();
  for (const range of ['24h', '7d', '30d', '1y'] as const)
    expect([range, previousOf(expectOk(periodOf(range, NOW)), NOW) !== undefined]).toEqual([range, true]);
});
