import { describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import { type Growth, SETTING_FIELDS } from '../../src/model/propertyFields.ts';
import { expectedAttempts } from '../../src/puzzle/threshold.ts';

const noLoad = { clientFill: 0, propertyFill: 0 };
const GROWING = ['slow', 'medium', 'fast'] as const;
const shop = 1 as PropertyId;
const otherShop = 2 as PropertyId;
const fills = [0, 0.5, 1, 2, 5, 10, 50, 100, 1e3, 1e6, 1e12, Number.MAX_VALUE];

describe('difficulty', () => {
  test.each([1, 80, 128, 255])('is exactly the level %d on constant, regardless of the load', (level) => {
    for (const fill of fills) {
      expect(difficultyOf(level, 'constant', { clientFill: fill, propertyFill: fill })).toBe(level);
    }
  });

  test.each(SETTING_FIELDS.growth.choices)('is the level on %s without load', (growth) => {
    for (let level = 1; level <= 255; level++) expect(difficultyOf(level, growth, noLoad)).toBe(level);
  });

  test.each(GROWING)('on %s never falls when a signal rises, and is an integer up to 255', (growth) => {
    for (const other of fills) {
      let [lastByClient, lastByProperty] = [0, 0];
      for (const fill of fills) {
        const client = difficultyOf(100, growth, { clientFill: fill, propertyFill: other });
        const property = difficultyOf(100, growth, { clientFill: other, propertyFill: fill });
        expect(client).toBeGreaterThanOrEqual(lastByClient);
        expect(property).toBeGreaterThanOrEqual(lastByProperty);
        for (const difficulty of [client, property]) {
          expect(Number.isInteger(difficulty)).toBe(true);
          expect(difficulty).toBeWithin(100, 256);
        }
        [lastByClient, lastByProperty] = [client, property];
      }
    }
  });

  test('rises faster on fast than on medium, and on medium than on slow', () => {
    for (const fill of [5, 10, 50]) {
      const signals = { clientFill: fill, propertyFill: fill };
      const [slow = 0, medium = 0, fast = 0] = GROWING.map((growth) => difficultyOf(50, growth, signals));
      expect(slow).toBeLessThan(medium);
      expect(medium).toBeLessThan(fast);
    }
  });

  test('saturates at 255', () => {
    expect(difficultyOf(255, 'slow', { clientFill: 1000, propertyFill: 1000 })).toBe(255);
    expect(difficultyOf(1, 'fast', { clientFill: Number.MAX_VALUE, propertyFill: 0 })).toBe(255);
  });

  test.each([
    ['slow', 1.5],
    ['medium', 2],
    ['fast', 4],
  ] as const)('on %s, a crowd of any size raises the work by at most a factor of %d', (growth, limit) => {
    for (const fill of fills) {
      const attempts = expectedAttempts(difficultyOf(128, growth, { clientFill: 0, propertyFill: fill }));
      expect(attempts / expectedAttempts(128)).toBeLessThanOrEqual(limit * 1.0001);
    }
  });
});

/** A meter with a clock that the test advances. */
function openMeter(capacity = 1000) {
  const meter = createLoadMeter(capacity);
  let now = Date.UTC(2026, 0, 1) as Instant;
  const names: string[] = [];
  /** The number of the client with this name. */
  const numberOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  return {
    advance(milliseconds: number) {
      now = (now + milliseconds) as Instant;
    },
    peek: (property = shop) => meter.peek(property, now),
    observe: (client: string, property = shop) => meter.observe(numberOf(client), property, now),
    difficulty: (client: string, growth: Growth, property = shop) =>
      difficultyOf(100, growth, meter.observe(numberOf(client), property, now)),
  };
}

describe('one client', () => {
  test('has no growth for its first puzzle, and never at six puzzles per minute', () => {
    const meter = openMeter();
    for (let i = 0; i < 1000; i++) {
      expect(meter.difficulty('visitor', 'slow')).toBe(100);
      meter.advance(10 * SECOND);
    }
  });

  test.each([
    ['slow', 16],
    ['medium', 32],
    ['fast', 64],
  ] as const)(
    'with a hundred puzzles at once gets harder puzzles on %s: at least %d levels',
    (growth, min) => {
      const meter = openMeter();
      for (let i = 0; i < 100; i++) meter.observe('bot');
      expect(meter.difficulty('bot', growth)).toBeGreaterThanOrEqual(100 + min);
      // Other clients only get the growth of the property.
      expect(meter.difficulty('visitor', growth)).toBeLessThanOrEqual(100 + 16);
    },
  );

  test('has no growth after its bucket is empty', () => {
    const meter = openMeter();
    for (let i = 0; i < 30; i++) meter.observe('visitor');
    meter.advance(299 * SECOND);
    expect(meter.observe('visitor').clientFill).toBeCloseTo(0.1, 6);
    meter.advance(11 * SECOND);
    expect(meter.observe('visitor').clientFill).toBeCloseTo(0, 6);
  });

  test('has the same fill on every property', () => {
    const meter = openMeter();
    for (let i = 0; i < 50; i++) meter.observe('bot', (100 + i) as PropertyId);
    expect(meter.observe('bot', otherShop)).toEqual({ clientFill: 50, propertyFill: 0 });
  });
});

describe('a crowd of one-time visitors', () => {
  test.each([
    ['slow', 1.5],
    ['medium', 2],
    ['fast', 4],
  ] as const)('raises the work at most by the limit of %s, regardless of its size', (growth, limit) => {
    const meter = openMeter();
    let highest = 0;
    for (let i = 0; i < 20_000; i++) {
      highest = Math.max(highest, meter.difficulty(`visitor ${i}`, growth));
      meter.advance(1);
    }
    expect(expectedAttempts(highest) / expectedAttempts(100)).toBeLessThanOrEqual(limit * 1.001);
    // The property's signal has an effect.
    expect(highest).toBeGreaterThan(100);
  });

  test('that comes at the usual rate causes no growth', () => {
    const meter = openMeter();
    // Ten per second for half a day become the usual rate.
    for (let i = 0; i < 12 * 3600 * 10; i++) {
      meter.observe(`visitor ${i % 900}`);
      meter.advance(SECOND / 10);
    }
    expect(meter.difficulty('next visitor', 'fast')).toBe(100);
  });

  test('of five causes no growth on a property without visitors for a week', () => {
    const meter = openMeter();
    meter.observe('last visitor');
    meter.advance(7 * 24 * HOUR);
    for (let i = 0; i < 5; i++) expect(meter.difficulty(`visitor ${i}`, 'fast')).toBe(100);
  });

  test('has no effect after an hour without visitors', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i}`);
    meter.advance(HOUR);
    expect(meter.difficulty('next visitor', 'fast')).toBe(100);
  });

  test('on one property does not affect another', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i}`);
    expect(meter.difficulty('visitor', 'fast', otherShop)).toBe(100);
  });
});

describe('the meter', () => {
  test('has a limited capacity and evicts the least recently seen client', () => {
    const meter = openMeter(3);
    for (let i = 0; i < 10; i++) meter.observe('a');
    meter.observe('b');
    meter.observe('c');
    expect(meter.observe('a').clientFill).toBe(10);
    meter.observe('d');
    meter.observe('e');
    expect(meter.observe('a').clientFill).toBe(11);
    for (const other of ['f', 'g', 'h']) meter.observe(other);
    expect(meter.observe('a').clientFill).toBe(0);
  });

  // Regression: eight hours of one puzzle per second locked an office out for three days.
  test('is full at 600 puzzles, and empty 100 minutes after the last one', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe('office');
    expect(meter.observe('office').clientFill).toBe(600);
    meter.advance(100 * MINUTE);
    expect(meter.observe('office').clientFill).toBe(0);
  });

  test('does not leak while the clock is set back, and continues from there', () => {
    const meter = openMeter();
    for (let i = 0; i < 20; i++) meter.observe('visitor');
    meter.advance(-HOUR);
    expect(meter.observe('visitor').clientFill).toBe(20);
    meter.advance(MINUTE);
    expect(meter.observe('visitor').clientFill).toBeCloseTo(15, 6);
  });

  test('returns finite signals regardless of clock changes', () => {
    const meter = openMeter();
    for (const step of [0, 1, -1, 1e12, -1e12, 0.001, -5, 1e9]) {
      meter.advance(step);
      const { clientFill, propertyFill } = meter.observe('visitor');
      expect(clientFill).toBeWithin(0, 100);
      expect(propertyFill).toBeWithin(0, 100);
    }
  });
});

describe('peek', () => {
  test('returns the signals for a new client, without adding a puzzle', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i % 700}`);
    meter.advance(2 * SECOND);
    const [first, second] = [meter.peek(), meter.peek()];
    expect(first.propertyFill).toBeGreaterThan(1);
    expect(second).toEqual(first);
    expect(meter.observe('new visitor')).toEqual(first);
    expect(meter.peek().propertyFill).toBeGreaterThan(first.propertyFill);
  });

  test('returns no load for an unknown property', () => {
    const meter = openMeter();
    expect(meter.peek()).toEqual({ clientFill: 0, propertyFill: 0 });
    expect(meter.observe('new visitor')).toEqual({ clientFill: 0, propertyFill: 0 });
  });
});
