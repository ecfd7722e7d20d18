import { expect, test } from 'bun:test';
import { MINUTE, SECOND } from '../../src/lib/time.ts';
import {
  ACCOUNT_RULE,
  ADDRESS_RULE,
  ATTEMPTS_EXPIRE_AFTER,
  CODE_RULE,
  delayAfter,
  PAIR_RULE,
} from '../../src/model/account.ts';

const RULES = [PAIR_RULE, ADDRESS_RULE, ACCOUNT_RULE, CODE_RULE];

test('the first failures cause no delay, further ones a delay that doubles up to a maximum', () => {
  const rule = { name: 'test', free: 2, first: SECOND, longest: 10 * SECOND };
  const counts = [0, 1, 2, 3, 4, 5, 6, 7, 5000];
  expect(counts.map((count) => delayAfter(count, rule) / SECOND)).toEqual([0, 0, 0, 1, 2, 4, 8, 10, 10]);
});

test('rules have different names', () => {
  expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
});

test.each(RULES)('the longest delay of the rule $name ends before failures expire', ({ longest }) => {
  expect(longest).toBeLessThanOrEqual(15 * MINUTE);
  expect(longest).toBeLessThan(ATTEMPTS_EXPIRE_AFTER);
});
