import { describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createDowngradeLoad, downgradeCellsFor } from '../../src/captcha/downgradeLoad.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';

const NOON = Date.UTC(2026, 5, 10, 12);
const PROPERTY = 1;

/** A meter of which the test moves the clock. */
function open(capacity = 64) {
  const load = createDowngradeLoad(new Float64Array(downgradeCellsFor(capacity)));
  let now = NOON;
  /** Puzzles at a constant rate, of which some are downgraded. @returns the excess at the last one */
  function play(duration: number, perMinute: number, share: number, property = PROPERTY): number {
    const count = Math.round((duration / MINUTE) * perMinute);
    let [excess, owed] = [0, 0];
    for (let n = 0; n < count; n++) {
      now += MINUTE / perMinute;
      owed += share;
      const isDowngraded = owed >= 1;
      if (isDowngraded) owed--;
      excess = load.add(property, 1, isDowngraded ? 1 : 0, now as Instant);
    }
    return excess;
  }
  return {
    load,
    play,
    pause(duration: number) {
      now += duration;
    },
  };
}

describe('the excess of downgrades', () => {
  test.each([0, 0.02, 0.1, 0.5, 1])('is 0 for a property whose usual share is always %d', (share) => {
    const { play } = open();
    let highest = 0;
    for (let hour = 0; hour < 48; hour++) highest = Math.max(highest, play(HOUR, 10, share));
    expect(highest).toBe(0);
  });

  test('rises during a flood of downgraded puzzles, and is gone an hour and a half after it', () => {
    const { play } = open();
    play(2 * DAY, 10, 0.02);
    // Half of the puzzles: (0.5 − 3 × 0.05) / (3 × 0.05) = 2.3.
    expect(play(HOUR, 1000, 0.5)).toBeWithin(1.5, 2.4);
    expect(play(90 * MINUTE, 10, 0.02)).toBe(0);
  });

  test('is at most 5.7, even if all puzzles are downgraded', () => {
    const { play } = open();
    play(2 * DAY, 10, 0);
    expect(play(30 * MINUTE, 5000, 1)).toBeWithin(4.5, 5.7);
  });

  test('does not become usual faster if there are more puzzles', () => {
    const [slow, fast] = [10, 5000].map((perMinute) => {
      const { play } = open();
      play(2 * DAY, 10, 0.02);
      return play(2 * HOUR, perMinute, 1);
    });
    expect(fast).toBeGreaterThanOrEqual(slow ?? Number.NaN);
  });

  test('is 0 for a few visitors with old widgets of a rarely visited property', () => {
    const { play } = open();
    play(2 * DAY, 0.2, 0);
    expect(play(10 * MINUTE, 0.7, 1)).toBe(0);
  });

  test('is not learned from a time without puzzles', () => {
    const { play, pause } = open();
    play(2 * DAY, 10, 0);
    play(5 * MINUTE, 200, 1);
    // The burst is over, but nothing teaches the meter that it is usual.
    pause(12 * HOUR);
    expect(play(20 * MINUTE, 200, 1)).toBeGreaterThan(3);
  });

  test('is measured for each property by itself', () => {
    const { play } = open();
    play(2 * DAY, 10, 0, 1);
    play(2 * DAY, 10, 0, 2);
    expect(play(30 * MINUTE, 1000, 1, 1)).toBeGreaterThan(3);
    expect(play(MINUTE, 10, 0, 2)).toBe(0);
  });

  test('is learned again when the property requires another kind of work', () => {
    const { load, play } = open();
    play(2 * DAY, 10, 0);
    // The clients solve argon2id, but not HashWX, so all puzzles are downgraded from now on.
    const now = (NOON + 2 * DAY) as Instant;
    load.add(PROPERTY, 1, 1, now, 3);
    expect(play(30 * MINUTE, 100, 1)).toBe(0);
  });

  test('needs memory for a bounded number of properties', () => {
    const { load, play } = open(8);
    for (let property = 0; property < 100; property++) play(MINUTE, 1, 0, property);
    const known = Array.from({ length: 100 }, (_, property) => load.has(property)).filter(Boolean);
    expect(known).toHaveLength(8);
  });
});

const kindWith = (isDowngraded: boolean | undefined) =>
  isDowngraded === undefined ? undefined : { version: 3, isDowngraded };

describe('the load meter', () => {
  const property = PROPERTY as PropertyId;
  /** Two days of a property with newer clients, and then a flood of downgraded puzzles from many addresses. */
  function flooded() {
    const meter = createLoadMeter(65_536, 64);
    let now = NOON;
    let client = 0;
    function observe(after: number, isDowngraded: boolean | undefined) {
      now += after;
      return meter.observe(++client, property, now as Instant, kindWith(isDowngraded));
    }
    for (let n = 0; n < 2 * 24 * 60; n++) observe(MINUTE, false);
    for (let n = 0; n < 2000; n++) observe(100, true);
    const signalsFor = (isDowngraded: boolean | undefined) => observe(100, isDowngraded);
    return { meter, signalsFor, now: () => now as Instant };
  }

  test.each([
    ['slow', 8],
    ['medium', 16],
    ['fast', 24],
  ] as const)('raises downgraded puzzles by at most %s: %i levels', (growth, levels) => {
    const { downgradeExcess: excess = 0 } = flooded().signalsFor(true);
    const rise = (downgradeExcess: number) =>
      difficultyOf(128, growth, { clientFill: 0, propertyFill: 0, downgradeExcess }) - 128;
    expect(rise(excess)).toBe(levels);
    expect(rise(1000)).toBe(levels);
    expect(rise(0)).toBe(0);
  });

  test('does not raise the puzzles of clients that support the kind of work, or of other properties', () => {
    const { meter, signalsFor, now } = flooded();
    for (const signals of [signalsFor(false), signalsFor(undefined), meter.peek(property, now())])
      expect(signals.downgradeExcess).toBeUndefined();
    expect(meter.observe(1, 2 as PropertyId, now(), kindWith(true)).downgradeExcess).toBe(0);
  });

  test('leaves the level unchanged with constant growth', () => {
    const { signalsFor } = flooded();
    expect(difficultyOf(128, 'constant', signalsFor(true))).toBe(128);
  });
});
