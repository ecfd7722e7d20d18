import type { Instant } from '../lib/time.ts';
import type { RuleReplacement } from '../model/ports/rules.ts';
import type { RuleList, RuleScope } from '../model/rules/rule.ts';
import { rulesFromJson, toRulesJson } from '../model/rules/rulesJson.ts';

/** The row of a list of rules. */
export type RuleListRow = {
  readonly propertyId: number;
  readonly revision: number;
  readonly changedAt: Instant;
  readonly rules: string;
};

/** Returns the column `property_id` of a scope; 0 for the installation. */
export function idOfScope(scope: RuleScope): number {
  return scope === 'installation' ? 0 : scope;
}

/** @param row undefined if the scope never had rules @throws if the JSON is damaged */
export function toRuleList(row: RuleListRow | undefined): RuleList {
  if (row === undefined) return { revision: 0, changedAt: undefined, rules: [] };
  const { revision, changedAt, rules } = row;
  return { revision, changedAt, rules: rulesFromJson(rules) };
}

/** Returns the row that stores a replacement. */
export function toRuleListRow({ scope, rules, revision, now }: RuleReplacement): RuleListRow {
  return {
    propertyId: idOfScope(scope),
    revision: revision + 1,
    changedAt: now,
    rules: toRulesJson(rules),
  };
}
