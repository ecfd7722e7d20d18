import { parseAction, parseRuleId, toWireRule } from './parseRules.ts';
import { CONDITION_NAMES, type Rule, type RuleConditions } from './rule.ts';

/** Returns rules as a JSON array in the format of the API. Equal rules result in equal text. */
export function toRulesJson(rules: readonly Rule[]): string {
  return JSON.stringify(rules.map(toWireRule));
}

/**
 * Reads the result of `toRulesJson`. Does not parse the entries of conditions again, which would take 10 to 60 ms for 10,000 networks; the
 * compiler throws if one of them is invalid.
 *
 * @throws if the text is damaged
 */
export function rulesFromJson(json: string): readonly Rule[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw damaged('not an array');
  return list.map(toRule);
}

function toRule(given: Readonly<Record<string, unknown>>, index: number): Rule {
  const { id, name, enabled, dry_run: isDryRun, action, conditions } = given;
  const at = `rule ${index}`;
  const parsedId = typeof id === 'string' ? parseRuleId(id) : undefined;
  if (parsedId === undefined) throw damaged(`${at} has no id`);
  const parsedAction = parseAction(given, () => {});
  if (parsedAction === undefined) throw damaged(`${at} has the action ${JSON.stringify(action)}`);
  if (typeof name !== 'string' || typeof enabled !== 'boolean' || typeof isDryRun !== 'boolean')
    throw damaged(`${at} is incomplete`);
  return {
    id: parsedId,
    name,
    isEnabled: enabled,
    isDryRun,
    action: parsedAction,
    conditions: toConditions(conditions, at),
  };
}

function toConditions(given: unknown, at: string): RuleConditions {
  if (typeof given !== 'object' || given === null) throw damaged(`${at} has no conditions`);
  const names = Object.entries(CONDITION_NAMES);
  const lists = Object.entries(given).map(([name, list]) => {
    const condition = names.find(([, known]) => known === name)?.[0];
    if (condition === undefined || !Array.isArray(list)) throw damaged(`${at} has the condition ${name}`);
    return [condition, list];
  });
  return Object.fromEntries(lists);
}

function damaged(reason: string): Error {
  return new Error(`the stored rules are damaged: ${reason}`);
}
