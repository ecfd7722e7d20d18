import type { ErrorList } from '../../model/exportDocument.ts';
import { parseRules } from '../../model/rules/parseRules.ts';
import { CONDITION_NAMES, RULE_PROBLEMS, type RuleDraft, type RuleError } from '../../model/rules/rule.ts';

/** Parses the rules of a document. An id belongs to one installation, so it is an error. @returns the rules without errors */
export function parseRuleList(value: unknown, path: string, errors: ErrorList): readonly RuleDraft[] {
  const parsed = parseRules(value);
  if (!parsed.ok) {
    for (const error of parsed.errors) errors.add(path + pathOf(error), 'rule-rejected', detailOf(error));
    return [];
  }
  for (const [index, { id }] of parsed.value.entries()) {
    if (id !== undefined) errors.add(`${path}[${index}]`, 'member-not-accepted', '"id"');
  }
  return parsed.value;
}

const CONDITIONS: readonly string[] = Object.values(CONDITION_NAMES);

/** Returns the position below the list as a JSONPath: `[2].conditions.networks[7]`. */
function pathOf({ rule, member, entry }: RuleError): string {
  const ofRule = rule === undefined ? '' : `[${rule}]`;
  const isCondition = member !== undefined && CONDITIONS.includes(member);
  const ofMember = member === undefined ? '' : `${isCondition ? '.conditions' : ''}.${member}`;
  return `${ofRule}${ofMember}${entry === undefined ? '' : `[${entry}]`}`;
}

function detailOf({ problem, offset }: RuleError): string {
  return offset ? `${RULE_PROBLEMS[problem]} (character ${offset + 1})` : RULE_PROBLEMS[problem];
}
