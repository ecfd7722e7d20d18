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
  return { time, slow: createAttemptLimits(rule, () => time.now) };
}

describe('failures', () => {
  test('cost nothing at first, then a delay that doubles up to the longest', () => {
    const { slow, time } = open();
    const waits = [];
    for (let n = 0; n < 8; n++) {
      slow.count('a');
      waits.push(slow.waitSeconds('a'));
    }
    expect(waits).toEqual([0, 0, 1, 2, 4, 8, 10, 10]);
    time.now = later(time.now, 9001);
    expect(slow.waitSeconds('a')).toBe(1);
    time.now = later(time.now, 999);
    expect(slow.waitSeconds('a')).toBe(0);
  });

  test('of one key are not those of another', () => {
    const { slow } = open();
    for (let n = 0; n < 5; n++) slow.count('a');
    expect(slow.waitSeconds('b')).toBe(0);
  });

  test('are forgotten after an hour, or when they are forgiven, one by one or all', () => {
    const { slow, time } = open();
    for (let n = 0; n < 3; n++) slow.count('a');
    slow.uncount('a');
    expect(slow.waitSeconds('a')).toBe(0);
    slow.count('a');
    expect(slow.waitSeconds('a')).toBe(1);
    time.now = later(time.now, HOUR);
    slow.count('a');
    expect(slow.waitSeconds('a')).toBe(0);
    for (let n = 0; n < 3; n++) slow.count('a');
    slow.forgive('a');
    expect(slow.waitSeconds('a')).toBe(0);
  });

  test('do not last longer where the clock is set back', () => {
    const { slow, time } = open();
    for (let n = 0; n < 3; n++) slow.count('a');
    time.now = later(time.now, -HOUR);
    expect(slow.waitSeconds('a')).toBe(1);
  });

  test('are remembered of so many keys and no more: the one that failed longest ago is forgotten', () => {
    const { slow, time } = open();
    for (let n = 0; n < 3; n++) slow.count('first');
    for (let key = 0; key < 19_999; key++) slow.count(`k${key}`);
    time.now = later(time.now, SECOND);
    slow.count('one more');
    slow.count('first');
    expect(slow.waitSeconds('first')).toBe(0);
  });

  test('of who waits are not forgotten for those of others, however many', () => {
    const { slow } = open();
    for (let n = 0; n < 3; n++) slow.count('first');
    for (let key = 0; key < 40_000; key++) slow.count(`k${key}`);
    expect(slow.waitSeconds('first')).toBe(1);
    for (let key = 0; key < 20_000; key++) for (let n = 0; n < 3; n++) slow.count(`w${key}`);
    expect(slow.waitSeconds('first')).toBe(1);
  });

  test('that were none after all take no room', () => {
    const { slow, time } = open();
    slow.count('first');
    time.now = later(time.now, SECOND);
    for (let key = 0; key < 40_000; key++) {
      slow.count(`k${key}`);
      slow.uncount(`k${key}`);
    }
    for (let n = 0; n < 2; n++) slow.count('first');
    expect(slow.waitSeconds('first')).toBe(1);
  });
});

test.each([
  ['a pair', PAIR_RULE],
  ['an address', ADDRESS_RULE],
  ['an account', ACCOUNT_RULE],
  ['codes', CODE_RULE],
])('the longest delay of %s is over before its failures are forgotten', (_, { longest }) => {
  expect(longest).toBeLessThanOrEqual(15 * MINUTE);
});
