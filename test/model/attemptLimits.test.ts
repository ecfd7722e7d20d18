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

test('the names of the rules do not change, because the servers of a cluster share them', () => {
  expect(RULES.map(({ name }) => name)).toEqual(['pair', 'address', 'account', 'code', 'email']);
});

test.each(RULES)(
  'the first delay of the rule $name is one second, and the longest ends before failures expire',
  (rule) => {
    expect(delayAfter(rule.free + 1, rule)).toBe(SECOND);
    expect(rule.longest).toBeLessThanOrEqual(15 * MINUTE);
    expect(rule.longest).toBeLessThan(ATTEMPTS_EXPIRE_AFTER);
  },
);
