import { parseRules, toWireRule } from './parseRules.ts';
import type { Rule } from './rule.ts';

/** Returns rules as a JSON array in the format of the API. Equal rules result in equal text. */
export function toRulesJson(rules: readonly Rule[]): string {
  return JSON.stringify(rules.map(toWireRule));
}

/** Parses the result of `toRulesJson`. @throws if the text is damaged */
export function rulesFromJson(json: string): readonly Rule[] {
  const parsed = parseRules(JSON.parse(json));
  if (!parsed.ok) {
    throw new Error(`the stored rules are damaged: ${JSON.stringify(parsed.errors[0])}`);
  }
  return parsed.value.map((rule) => {
    if (rule.id === undefined) throw new Error('the stored rules are damaged: a rule has no id');
    return { ...rule, id: rule.id };
  });
}
