import { describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../../src/lib/time.ts';
import { GROWTHS, type Growth, type Sitekey } from '../../src/model/property.ts';
import { expectedAttempts } from '../../src/puzzle/threshold.ts';

const calm = { clientFill: 0, propertyFill: 0 };
const RISING = ['slow', 'medium', 'fast'] as const;
const site = 'site' as Sitekey;
const fills = [0, 0.5, 1, 2, 5, 10, 50, 100, 1e3, 1e6, 1e12, Number.MAX_VALUE];

describe('difficulty', () => {
  test.each([1, 80, 128, 255])('on constant is exactly the level %d, whatever the load', (level) => {
    for (const fill of fills) {
      expect(difficultyOf(level, 'constant', { clientFill: fill, propertyFill: fill })).toBe(level);
    }
  });

  test.each(GROWTHS)('on %s is the level itself while nothing is going on', (growth) => {
    for (let level = 1; level <= 255; level++) expect(difficultyOf(level, growth, calm)).toBe(level);
  });

  test.each(RISING)('on %s never falls as either signal rises, and stays an integer of a byte', (growth) => {
    for (const other of fills) {
      let [byClient, byProperty] = [0, 0];
      for (const fill of fills) {
        const client = difficultyOf(100, growth, { clientFill: fill, propertyFill: other });
        const property = difficultyOf(100, growth, { clientFill: other, propertyFill: fill });
        expect(client).toBeGreaterThanOrEqual(byClient);
        expect(property).toBeGreaterThanOrEqual(byProperty);
        for (const difficulty of [client, property]) {
          expect(Number.isInteger(difficulty)).toBe(true);
          expect(difficulty).toBeWithin(100, 256);
        }
        [byClient, byProperty] = [client, property];
      }
    }
  });

  test('rises faster on fast than on medium, and on medium than on slow', () => {
    for (const fill of [5, 10, 50]) {
      const signals = { clientFill: fill, propertyFill: fill };
      const [slow = 0, medium = 0, fast = 0] = RISING.map((growth) => difficultyOf(50, growth, signals));
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
  ] as const)('on %s, a crowd of any size makes work at most %d times as dear', (growth, limit) => {
    for (const fill of fills) {
      const price = expectedAttempts(difficultyOf(128, growth, { clientFill: 0, propertyFill: fill }));
      expect(price / expectedAttempts(128)).toBeLessThanOrEqual(limit * 1.0001);
    }
  });
});

/** A meter with its clock in hand. */
function openMeter(capacity = 1000) {
  const meter = createLoadMeter(capacity);
  let now = Date.UTC(2026, 0, 1) as Instant;
  const names: string[] = [];
  /** The blinded address of a client with this name. */
  const blinded = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  return {
    turn(milliseconds: number) {
      now = (now + milliseconds) as Instant;
    },
    /** What the property looks like, from a newcomer's place. */
    look: (sitekey = site) => meter.look(sitekey, now),
    observe: (client: string, sitekey = site) => meter.observe(blinded(client), sitekey, now),
    difficulty: (client: string, growth: Growth, sitekey = site) =>
      difficultyOf(100, growth, meter.observe(blinded(client), sitekey, now)),
  };
}

describe('one client', () => {
  test('pays nothing for its first puzzle, and nothing ever at six a minute', () => {
    const meter = openMeter();
    for (let i = 0; i < 1000; i++) {
      expect(meter.difficulty('someone', 'slow')).toBe(100);
      meter.turn(10 * SECOND);
    }
  });

  test.each([
    ['slow', 16],
    ['medium', 32],
    ['fast', 64],
  ] as const)(
    'that hammers pays on %s: at least %d levels after a hundred puzzles at once',
    (growth, least) => {
      const meter = openMeter();
      for (let i = 0; i < 100; i++) meter.observe('bot');
      expect(meter.difficulty('bot', growth)).toBeGreaterThanOrEqual(100 + least);
      // Its neighbours only pay what the whole property pays.
      expect(meter.difficulty('neighbour', growth)).toBeLessThanOrEqual(100 + 16);
    },
  );

  test('is forgiven once it is quiet for as long as its bucket takes to run dry', () => {
    const meter = openMeter();
    for (let i = 0; i < 30; i++) meter.observe('someone');
    meter.turn(299 * SECOND);
    expect(meter.observe('someone').clientFill).toBeCloseTo(0.1, 6);
    meter.turn(11 * SECOND);
    expect(meter.observe('someone').clientFill).toBeCloseTo(0, 6);
  });

  test('carries its fill from one property to the next', () => {
    const meter = openMeter();
    for (let i = 0; i < 50; i++) meter.observe('bot', `site ${i}` as Sitekey);
    expect(meter.observe('bot', 'another' as Sitekey)).toEqual({ clientFill: 50, propertyFill: 0 });
  });
});

describe('a crowd of one-time visitors', () => {
  test.each([
    ['slow', 1.5],
    ['medium', 2],
    ['fast', 4],
  ] as const)('pays at most its factor on %s, however large', (growth, limit) => {
    const meter = openMeter();
    let dearest = 0;
    for (let i = 0; i < 20_000; i++) {
      dearest = Math.max(dearest, meter.difficulty(`visitor ${i}`, growth));
      meter.turn(1);
    }
    expect(expectedAttempts(dearest) / expectedAttempts(100)).toBeLessThanOrEqual(limit * 1.001);
    // And it does pay something, or the property's signal is dead.
    expect(dearest).toBeGreaterThan(100);
  });

  test('that comes every day at the same rate is no crowd', () => {
    const meter = openMeter();
    // Ten a second for half a day: that is usual by now.
    for (let i = 0; i < 12 * 3600 * 10; i++) {
      meter.observe(`visitor ${i % 900}`);
      meter.turn(SECOND / 10);
    }
    expect(meter.difficulty('one more', 'fast')).toBe(100);
  });

  test('that is a handful costs nothing on a property that nobody came to for a week', () => {
    const meter = openMeter();
    meter.observe('the last one');
    meter.turn(7 * 24 * HOUR);
    for (let i = 0; i < 5; i++) expect(meter.difficulty(`visitor ${i}`, 'fast')).toBe(100);
  });

  test('leaves no trace after a quiet hour', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i}`);
    meter.turn(HOUR);
    expect(meter.difficulty('the next morning', 'fast')).toBe(100);
  });

  test('on one property costs another property nothing', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i}`);
    expect(meter.difficulty('someone', 'fast', 'elsewhere' as Sitekey)).toBe(100);
  });
});

describe('the meter', () => {
  test('remembers as many clients and properties as it may, and forgets who was not seen for longest', () => {
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

  // Once, eight hours of a puzzle a second locked an office out for three days.
  test('is full at 600 puzzles, and empty 100 minutes after the last of however many', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe('office');
    expect(meter.observe('office').clientFill).toBe(600);
    meter.turn(100 * MINUTE);
    expect(meter.observe('office').clientFill).toBe(0);
  });

  test('lets nothing out when the clock is set back, and goes on from there', () => {
    const meter = openMeter();
    for (let i = 0; i < 20; i++) meter.observe('someone');
    meter.turn(-HOUR);
    expect(meter.observe('someone').clientFill).toBe(20);
    meter.turn(MINUTE);
    expect(meter.observe('someone').clientFill).toBeCloseTo(15, 6);
  });

  test('gives finite signals whatever the clock does', () => {
    const meter = openMeter();
    for (const step of [0, 1, -1, 1e12, -1e12, 0.001, -5, 1e9]) {
      meter.turn(step);
      const { clientFill, propertyFill } = meter.observe('someone');
      expect(clientFill).toBeWithin(0, 100);
      expect(propertyFill).toBeWithin(0, 100);
    }
  });
});

describe('a look at a property', () => {
  test('shows what a client that was not seen before would meet, and adds nothing', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i % 700}`);
    meter.turn(2 * SECOND);
    const [first, second] = [meter.look(), meter.look()];
    expect(first.propertyFill).toBeGreaterThan(1);
    expect(second).toEqual(first);
    expect(meter.observe('newcomer')).toEqual(first);
    expect(meter.look().propertyFill).toBeGreaterThan(first.propertyFill);
  });

  test('of one that nobody has asked for shows no load', () => {
    const meter = openMeter();
    expect(meter.look()).toEqual({ clientFill: 0, propertyFill: 0 });
    expect(meter.observe('newcomer')).toEqual({ clientFill: 0, propertyFill: 0 });
  });
});
