import { systemRandom } from '../lib/ids.ts';
import type { Instant } from '../lib/time.ts';
import type { RuleReplacement, StoredRules } from '../model/ports/rules.ts';
import {
  RULE_LIMITS,
  type Rule,
  type RuleDraft,
  type RuleId,
  type RuleList,
  type RuleScope,
} from '../model/rules/rule.ts';
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

/** @param row undefined if the scope never had rules */
export function toStoredRules(row: RuleListRow | undefined): StoredRules | undefined {
  return row && { revision: row.revision, json: row.rules };
}

/**
 * Whether a longer list makes the lists of an organization too large. Lists that were stored before the limit existed stay valid, and
 * can be made shorter.
 *
 * @param others size of the other lists, in bytes
 */
export function exceedsOrganization(others: number, json: string, before = ''): boolean {
  const bytes = Buffer.byteLength(json);
  return others + bytes > RULE_LIMITS.organizationBytes && bytes > Buffer.byteLength(before);
}

/** A list for the functions that write it. */
export type WrittenRules = Pick<RuleReplacement, 'scope' | 'json' | 'ids'>;

/** @see WrittenRules */
export function toWritten(rules: readonly Rule[]): Omit<WrittenRules, 'scope'> {
  return { json: toRulesJson(rules), ids: rules.map(({ id }) => id) };
}

/** Returns the rules of an export; absent if there are none. */
export function toExportedRules(json: string | null): { readonly rules?: readonly RuleDraft[] } {
  if (json === null || json === '[]') return {};
  return { rules: rulesFromJson(json).map(({ id: _, ...rule }) => rule) };
}

/** Whether rules are equal to stored ones, apart from their ids. */
export function haveSameRules(rules: readonly RuleDraft[] = [], json: string | null): boolean {
  return Bun.deepEquals(rules, toExportedRules(json).rules ?? [], true);
}

/** Gives imported rules new ids. */
export function toNewRules(rules: readonly RuleDraft[]): readonly Rule[] {
  return rules.map((rule) => ({ ...rule, id: systemRandom(new Uint8Array(8)).toHex() as RuleId }));
}
