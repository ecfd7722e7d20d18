import { describe, expect, test } from 'bun:test';
import { toClient } from '../../src/captcha/clientLoad.ts';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { HOUR, type Instant, MINUTE, SECOND } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import { expectedAttempts } from '../../src/puzzle/check.ts';

const shop = 1 as PropertyId;
const otherShop = 2 as PropertyId;

/** A meter with a clock that the test advances. Each name is an address in a wide network of its own. */
function openMeter(capacity = 100_000) {
  const meter = createLoadMeter(capacity);
  let now = Date.UTC(2026, 0, 1) as Instant;
  const clients = new Map<string, number>();
  const clientOf = (name: string) => {
    const known = clients.get(name) ?? toClient(clients.size + 1, clients.size + 1);
    clients.set(name, known);
    return known;
  };
  return {
    advance(milliseconds: number) {
      now = (now + milliseconds) as Instant;
    },
    meter,
    now: () => now,
    peek: (property = shop) => meter.peek(property, now),
    observe: (name: string, property = shop) => meter.observe(clientOf(name), property, now),
    verify: (name: string, difficulty = 128) => meter.verified(clientOf(name), difficulty, now),
    difficulty: (name: string, growth: Growth, property = shop) =>
      difficultyOf(100, growth, meter.observe(clientOf(name), property, now)),
  };
}

type Meter = ReturnType<typeof openMeter>;

/** Requests puzzles at an even pace. @returns the load before the last one */
function request(
  scene: Meter,
  name: string,
  { perMinute, minutes, isVerified }: { perMinute: number; minutes: number; isVerified: boolean },
): number {
  let load = 0;
  for (let i = 0; i < perMinute * minutes; i++) {
    load = scene.observe(name).clientFill;
    scene.advance(MINUTE / perMinute);
    if (isVerified) scene.verify(name);
  }
  return load;
}

describe('one client', () => {
  test('has no growth for its first puzzle, and never at six puzzles per minute', () => {
    const meter = openMeter();
    for (let i = 0; i < 1000; i++) {
      expect(meter.difficulty('visitor', 'slow')).toBe(100);
      meter.advance(10 * SECOND);
    }
  });

  test('has no growth at twelve puzzles per minute that are verified, and growth if they are not', () => {
    const load = (isVerified: boolean) =>
      request(openMeter(), 'office', { perMinute: 12, minutes: 60, isVerified });
    expect(load(true)).toBeLessThanOrEqual(1);
    expect(load(false)).toBeGreaterThan(50);
  });

  test.each([
    ['slow', 16],
    ['medium', 32],
    ['fast', 48],
  ] as const)(
    'with a hundred puzzles at once gets harder puzzles on %s: at least %d levels',
    (growth, min) => {
      const meter = openMeter();
      for (let i = 0; i < 100; i++) meter.observe('bot');
      expect(meter.difficulty('bot', growth)).toBeGreaterThanOrEqual(100 + min);
      // Other clients only get the growth of the property.
      expect(meter.difficulty('visitor', growth)).toBeLessThanOrEqual(100 + 6);
    },
  );

  test('has no growth after its buckets are empty', () => {
    const meter = openMeter();
    for (let i = 0; i < 30; i++) meter.observe('visitor');
    // The fill falls by six per minute and by a factor of e in 15 minutes: 120 e^(-t/15) - 90 is 0 after 4.315 minutes.
    meter.advance(4 * MINUTE);
    expect(meter.observe('visitor').clientFill).toBeCloseTo(120 * Math.exp(-4 / 15) - 90, 6);
    meter.advance(30 * SECOND);
    expect(meter.observe('visitor').clientFill).toBeCloseTo(0, 6);
  });

  test('has the same load on every property', () => {
    const meter = openMeter();
    for (let i = 0; i < 50; i++) meter.observe('bot', (100 + i) as PropertyId);
    expect(meter.observe('bot', otherShop)).toEqual({ clientFill: 50, propertyFill: 0 });
  });

  // Regression: eight hours of one puzzle per second locked an office out for three days, and later for 100 minutes.
  test('has a load of at most 120 without verifications, and none 13 minutes after the last puzzle', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe('office');
    expect(meter.observe('office').clientFill).toBe(120);
    meter.advance(13 * MINUTE);
    expect(meter.observe('office').clientFill).toBe(0);
  });

  test('has a load of at most 720 with verifications', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) {
      meter.observe('bot');
      meter.verify('bot');
    }
    for (let i = 0; i < 500; i++) meter.observe('bot');
    expect(meter.observe('bot').clientFill).toBe(720);
  });

  test('pays for each verified puzzle: a verification never lowers the load', () => {
    const meter = openMeter();
    for (let i = 0; i < 100; i++) meter.observe('bot');
    for (let i = 0; i < 300; i++) {
      const before = meter.meter.observe(toClient(1, 1), shop, meter.now()).clientFill;
      meter.verify('bot');
      expect(meter.observe('bot').clientFill).toBeGreaterThanOrEqual(before);
    }
  });

  // Otherwise, an abuser behind a shared address could fill the bucket with puzzles of another property that cost nothing.
  test('pays for verified puzzles by their work: those with a low difficulty stay open', () => {
    const loadAfter = (difficulty: number) => {
      const meter = openMeter();
      for (let i = 0; i < 5000; i++) {
        meter.observe('abuser');
        meter.verify('abuser', difficulty);
      }
      return meter.observe('abuser', otherShop).clientFill;
    };
    expect(loadAfter(1)).toBeLessThan(121);
    expect(loadAfter(128)).toBe(600);
    const meter = openMeter();
    for (let i = 0; i < 5; i++) meter.observe('visitor');
    meter.verify('visitor', 112);
    meter.advance(MINUTE);
    // A quarter has moved: 4.75 open puzzles, and 0.25 verified ones.
    const left = Math.exp(-1 / 15);
    const expected = Math.max((4.75 + 90) * left - 90, 0) + Math.max((0.25 + 180) * left - 180, 0);
    expect(meter.observe('visitor').clientFill).toBeCloseTo(expected, 6);
  });

  test('that is not in memory is not created by a verification', () => {
    const meter = openMeter();
    meter.verify('visitor');
    expect(meter.observe('visitor').clientFill).toBe(0);
  });
});

describe('a wide network', () => {
  /** The load of a new address after 60 puzzles per minute for ten minutes, each from a new address of the network. */
  function rotate(isIpv6: boolean): number {
    const { meter, advance, now } = openMeter();
    for (let i = 0; i < 600; i++) {
      const client = toClient(7, i, isIpv6);
      meter.observe(client, shop, now());
      advance(SECOND);
      meter.verified(client, 128, now());
    }
    return meter.observe(toClient(7, 600, isIpv6), shop, now()).clientFill;
  }

  test('has a load of its own: a /48 counts as two clients, and a /24 as four', () => {
    // 30 per minute fill the bucket of verified puzzles of the /48, which loses 12: 270 (1 - e^(-10/15)).
    expect(rotate(true)).toBeCloseTo(270 * (1 - Math.exp(-10 / 15)), -1);
    // 15 per minute fill that of the /24.
    expect(rotate(false)).toBeCloseTo(45 * (1 - Math.exp(-10 / 15)), -1);
  });

  test('does not affect other networks', () => {
    const { meter, now } = openMeter();
    for (let i = 0; i < 1000; i++) meter.observe(toClient(7, i, true), shop, now());
    expect(meter.observe(toClient(7, 4711, true), shop, now()).clientFill).toBe(120);
    expect(meter.observe(toClient(7, 4711, false), shop, now()).clientFill).toBe(0);
    expect(meter.observe(toClient(8, 4711, true), shop, now()).clientFill).toBe(0);
  });
});

describe('a crowd of one-time visitors', () => {
  test.each([
    ['slow', 1.2],
    ['medium', 1.3],
    ['fast', 1.7],
  ] as const)('raises the work at most by the limit of %s, regardless of its size', (growth, limit) => {
    const meter = openMeter();
    let highest = 0;
    for (let i = 0; i < 20_000; i++) {
      highest = Math.max(highest, meter.difficulty(`visitor ${i}`, growth));
      meter.advance(1);
    }
    expect(expectedAttempts(highest) / expectedAttempts(100)).toBeLessThanOrEqual(limit);
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

  test('has no effect 15 minutes after it has left', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i}`);
    meter.advance(15 * MINUTE);
    expect(meter.difficulty('next visitor', 'fast')).toBe(100);
  });

  test('on one property does not affect another', () => {
    const meter = openMeter();
    for (let i = 0; i < 5000; i++) meter.observe(`visitor ${i}`);
    expect(meter.difficulty('visitor', 'fast', otherShop)).toBe(100);
  });

  test('is more than a single client that requests many puzzles', () => {
    const meter = openMeter();
    request(meter, 'bot', { perMinute: 120, minutes: 60, isVerified: false });
    expect(meter.peek().propertyFill).toBe(0);
  });
});

describe('a surge', () => {
  /** A botnet whose addresses each request a puzzle per minute. @returns the work of a new puzzle of one of them */
  function attack(addresses: number, minutes: number): { bot: number; visitor: number } {
    const meter = openMeter();
    // A quiet day teaches the meter the usual traffic.
    for (let i = 0; i < 24 * 60; i++) {
      meter.observe(`visitor ${i}`);
      meter.advance(MINUTE);
    }
    for (let minute = 0; minute < minutes; minute++) {
      for (let i = 0; i < addresses; i++) {
        meter.observe(`bot ${i}`);
        meter.advance(MINUTE / addresses);
        meter.verify(`bot ${i}`);
      }
    }
    const workOf = (name: string) => 2 ** ((meter.difficulty(name, 'medium') - 100) / 8);
    return { bot: workOf('bot 0'), visitor: workOf('visitor') };
  }

  test('makes puzzles harder for clients that return, and hardly for visitors', () => {
    const { bot, visitor } = attack(300, 120);
    expect(bot).toBeGreaterThan(8);
    expect(visitor).toBeLessThan(1.3);
  });

  test('is needed for that: a few clients with the same rate have no growth', () => {
    expect(attack(5, 120)).toEqual({ bot: 1, visitor: 1 });
  });
});

describe('the memory for clients', () => {
  test('is limited: a flood of visitors replaces older visitors', () => {
    const meter = openMeter(1000);
    for (let i = 0; i < 3; i++) meter.observe('visitor');
    for (let i = 0; i < 20_000; i++) {
      meter.observe(`other ${i}`);
      meter.advance(20);
    }
    expect(meter.observe('visitor').clientFill).toBe(0);
  });

  test('keeps clients with many puzzles during a flood', () => {
    const meter = openMeter(1000);
    for (let i = 0; i < 300; i++) meter.observe('bot');
    for (let i = 0; i < 20_000; i++) {
      meter.observe(`visitor ${i}`);
      meter.advance(10);
    }
    expect(meter.observe('bot').clientFill).toBeGreaterThan(50);
  });
});

describe('the clock', () => {
  test('can be set back: the buckets do not leak, and continue from there', () => {
    const meter = openMeter();
    for (let i = 0; i < 20; i++) meter.observe('visitor');
    meter.advance(-HOUR);
    expect(meter.observe('visitor', otherShop).clientFill).toBe(20);
    meter.advance(MINUTE);
    expect(meter.observe('visitor', otherShop).clientFill).toBeCloseTo(111 * Math.exp(-1 / 15) - 90, 6);
  });

  test('can change in any way: the signals are finite', () => {
    const meter = openMeter();
    for (const step of [0, 1, -1, 1e12, -1e12, 0.001, -5, 1e9]) {
      meter.advance(step);
      const { clientFill, propertyFill } = meter.observe('visitor');
      expect(clientFill).toBeWithin(0, 100);
      expect(propertyFill).toBeWithin(0, 100);
      meter.verify('visitor');
    }
  });
});

describe('peek', () => {
  test('returns the signals for a new client, without adding a puzzle', () => {
    const meter = openMeter();
    for (let i = 0; i < 500; i++) meter.observe(`visitor ${i}`);
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
