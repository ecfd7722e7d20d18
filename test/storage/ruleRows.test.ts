import { expect, test } from 'bun:test';
import { RULE_LIMITS } from '../../src/model/rules/rule.ts';
import { exceedsOrganization } from '../../src/storage/ruleRows.ts';

test('lists from before the limit of an organization existed can become shorter, but not longer', () => {
  const others = 2 * RULE_LIMITS.organizationBytes;
  const list = 'x'.repeat(1000);
  expect(exceedsOrganization(others, list, `${list}x`)).toBe(false);
  expect(exceedsOrganization(others, list, list)).toBe(false);
  expect(exceedsOrganization(others, `${list}x`, list)).toBe(true);
  expect(exceedsOrganization(others, list)).toBe(true);
  expect(exceedsOrganization(0, list)).toBe(false);
  // The limit counts bytes, not characters.
  expect(exceedsOrganization(RULE_LIMITS.organizationBytes - 3, 'ää')).toBe(true);
});
