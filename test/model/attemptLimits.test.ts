import { expect, test } from 'bun:test';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import {
  ACCOUNT_RULE,
  ADDRESS_RULE,
  ATTEMPTS_EXPIRE_AFTER,
  CODE_RULE,
  delayAfter,
  EMAIL_RULE,
  PAIR_RULE,
} from '../../src/model/account.ts';

const RULES = [PAIR_RULE, ADDRESS_RULE, ACCOUNT_RULE, CODE_RULE, EMAIL_RULE];

test('the first failures cause no delay, further ones a delay that doubles up to a maximum', () => {
  const rule = { name: 'test', free: 2, first: SECOND, longest: 10 * SECOND };
  const counts = [0, 1, 2, 3, 4, 5, 6, 7, 5000];
  expect(counts.map((count) => delayAfter(count, rule) / SECOND)).toEqual([0, 0, 0, 1, 2, 4, 8, 10, 10]);
});

test('rules have different names, which are the same on all servers of a cluster', () => {
  expect(RULES.map(({ name }) => name)).toEqual(['pair', 'address', 'account', 'code', 'email']);
});

test.each(RULES)(
  'the delays of the rule $name begin with a second, and the longest one ends before failures expire',
  (rule) => {
    expect(delayAfter(rule.free + 1, rule)).toBe(SECOND);
    expect(rule.longest).toBeLessThanOrEqual(15 * MINUTE);
    expect(rule.longest).toBeLessThan(ATTEMPTS_EXPIRE_AFTER);
  },
);
