import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { DAY, HOUR, type Instant, later, toIso } from '../../src/lib/time.ts';
import { dayOf, dayRange, parseTimeZone } from '../../src/lib/timeZone.ts';

describe('a day in a time zone', () => {
  test.each([
    ['UTC', '2026-03-29', '2026-03-29T00:00Z', 24],
    ['Europe/Berlin', '2026-01-15', '2026-01-14T23:00Z', 24],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00Z', 25],
    ['Asia/Kolkata', '2026-01-15', '2026-01-14T18:30Z', 24],
    ['Asia/Kathmandu', '2026-01-15', '2026-01-14T18:15Z', 24],
    ['Pacific/Kiritimati', '2026-01-15', '2026-01-14T10:00Z', 24],
    ['Pacific/Pago_Pago', '2026-01-15', '2026-01-15T11:00Z', 24],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00Z', 24.5],
    // At midnight, the clocks are set forward, so the day begins at 1:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00Z', 23],
    // At midnight, the clocks are set back, so 23:00 occurs twice on the day before.
    ['America/Sao_Paulo', '2018-02-18', '2018-02-18T03:00Z', 24],
    ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00Z', 25],
    // At 1:00, the clocks are set back, so midnight occurs twice.
    ['America/Havana', '2026-11-01', '2026-11-01T04:00Z', 25],
  ])('of %s: %s begins at %s and has %d hours', (zone, day, start, hours) => {
    const found = dayRange(day, zone);
    expect(found && toIso(found.from).slice(0, 16)).toBe(start.slice(0, 16));
    expect(found && (found.until - found.from) / HOUR).toBe(hours);
  });

  test('contains the instants that have this day, and no others', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const days = fc.integer({ min: 0, max: 40_000 }).map((day) => toIso((day * DAY) as Instant).slice(0, 10));
    fc.assert(
      fc.property(zones, days, fc.nat(), (zone, day, shift) => {
        const found = dayRange(day, zone);
        if (found === undefined) throw new Error(day);
        const { from, until } = found;
        // Some zones once left out a day when they crossed the date line.
        fc.pre(until > from);
        const inside = later(from, shift % (until - from));
        expect([dayOf(inside, zone), dayOf(later(from, -1), zone) < day]).toEqual([day, true]);
        expect(dayOf(until, zone) > day).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['', '2026-02-30', '2026-1-1', '2026-01-01T00:00', 'yesterday00'])('%p is not a day', (text) => {
    expect(dayRange(text, 'Europe/Berlin')).toBeUndefined();
  });
});

describe('the name of a time zone', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['UTC', 'UTC'],
  ])('%s is %s', (text, name) => {
    expect(parseTimeZone(text)).toBe(name);
  });

  test.each([
    '',
    'Mars/Olympus',
    'Europe/',
    '+05:30',
    'Europe/Berlin\n',
    '<b>',
    'a'.repeat(65),
    'x/'.repeat(40),
  ])('%j is rejected', (text) => {
    expect(parseTimeZone(text)).toBeUndefined();
  });
});
