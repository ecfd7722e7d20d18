import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant, later, MINUTE, SECOND } from '../../../src/lib/time.ts';
import {
  ACCOUNT_RULE,
  ADDRESS_RULE,
  CODE_RULE,
  createAttemptLimits,
  PAIR_RULE,
} from '../../../src/platform/authentication/attemptLimits.ts';

const rule = { free: 2, first: SECOND, longest: 10 * SECOND };

function open(start = Date.UTC(2026, 0, 31)) {
  const time = { now: start as Instant };
  return { time, limits: createAttemptLimits(rule, () => time.now) };
}

describe('attempt limits', () => {
  test('the first failures cause no delay, further ones a delay that doubles up to a maximum', () => {
    const { limits, time } = open();
    const waits = [];
    for (let n = 0; n < 8; n++) {
      limits.count('a');
      waits.push(limits.waitSeconds('a'));
    }
    expect(waits).toEqual([0, 0, 1, 2, 4, 8, 10, 10]);
    time.now = later(time.now, 9001);
    expect(limits.waitSeconds('a')).toBe(1);
    time.now = later(time.now, 999);
    expect(limits.waitSeconds('a')).toBe(0);
  });

  test('keys are counted separately', () => {
    const { limits } = open();
    for (let n = 0; n < 5; n++) limits.count('a');
    expect(limits.waitSeconds('b')).toBe(0);
  });

  test('failures expire after an hour, and can be taken back or cleared', () => {
    const { limits, time } = open();
    for (let n = 0; n < 3; n++) limits.count('a');
    limits.uncount('a');
    expect(limits.waitSeconds('a')).toBe(0);
    limits.count('a');
    expect(limits.waitSeconds('a')).toBe(1);
    time.now = later(time.now, HOUR);
    limits.count('a');
    expect(limits.waitSeconds('a')).toBe(0);
    for (let n = 0; n < 3; n++) limits.count('a');
    limits.clear('a');
    expect(limits.waitSeconds('a')).toBe(0);
  });

  test('a delay does not become longer if the clock is set back', () => {
    const { limits, time } = open();
    for (let n = 0; n < 3; n++) limits.count('a');
    time.now = later(time.now, -HOUR);
    expect(limits.waitSeconds('a')).toBe(1);
  });

  test('at capacity, a new key replaces the key with the oldest failure', () => {
    const { limits, time } = open();
    for (let n = 0; n < 3; n++) limits.count('first');
    for (let key = 0; key < 19_999; key++) limits.count(`k${key}`);
    time.now = later(time.now, SECOND);
    limits.count('one more');
    limits.count('first');
    expect(limits.waitSeconds('first')).toBe(0);
  });

  test('a delayed key is never replaced', () => {
    const { limits } = open();
    for (let n = 0; n < 3; n++) limits.count('first');
    for (let key = 0; key < 40_000; key++) limits.count(`k${key}`);
    expect(limits.waitSeconds('first')).toBe(1);
    for (let key = 0; key < 20_000; key++) for (let n = 0; n < 3; n++) limits.count(`w${key}`);
    expect(limits.waitSeconds('first')).toBe(1);
  });

  test('a key without failures takes no capacity', () => {
    const { limits, time } = open();
    limits.count('first');
    time.now = later(time.now, SECOND);
    for (let key = 0; key < 40_000; key++) {
      limits.count(`k${key}`);
      limits.uncount(`k${key}`);
    }
    for (let n = 0; n < 2; n++) limits.count('first');
    expect(limits.waitSeconds('first')).toBe(1);
  });
});

test.each([
  ['PAIR_RULE', PAIR_RULE],
  ['ADDRESS_RULE', ADDRESS_RULE],
  ['ACCOUNT_RULE', ACCOUNT_RULE],
  ['CODE_RULE', CODE_RULE],
])('the longest delay of %s ends before failures expire', (_, { longest }) => {
  expect(longest).toBeLessThanOrEqual(15 * MINUTE);
});
