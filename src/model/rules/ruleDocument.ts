import { isCount, isObject } from '../../lib/json.ts';
import { unknownMembers } from '../../lib/memberNames.ts';
import { toIso } from '../../lib/time.ts';
import type { RuleTest } from './evaluation.ts';
import { toWireRule, type WireRule } from './parseRules.ts';
import {
  RULE_MEMBERS,
  RULE_PROBLEMS,
  type Rule,
  type RuleAction,
  type RuleError,
  type RuleHits,
  type RuleList,
} from './rule.ts';

/** Lists of rules in the format of the Platform API, which files and the command line use too. */

type CountedList = Omit<RuleList, 'rules'> & {
  readonly rules: readonly (Rule & { readonly hits: RuleHits | undefined })[];
};

/** A rule with its hits. */
export type ListedRule = WireRule & {
  /** How often the rule matched. */
  readonly hits: number;
  /** ISO 8601; null if the rule never matched. */
  readonly last_hit_at: string | null;
};

/** The rules of a property or of the installation. */
export type RuleDocument = {
  /** Increases with each change; 0 if there never were rules. */
  readonly revision: number;
  /** ISO 8601; null if there never were rules. */
  readonly changed_at: string | null;
  readonly rules: readonly ListedRule[];
};

/** Converts a list of rules to the format of the API. */
export function toRuleDocument({ revision, changedAt, rules }: CountedList): RuleDocument {
  return {
    revision,
    changed_at: changedAt === undefined ? null : toIso(changedAt),
    rules: rules.map((rule) => ({
      ...toWireRule(rule),
      hits: rule.hits?.hits ?? 0,
      last_hit_at: rule.hits === undefined ? null : toIso(rule.hits.lastHitAt),
    })),
  };
}

const READ_ONLY_MEMBERS: readonly string[] = ['hits', 'last_hit_at'] satisfies (keyof ListedRule)[];

/** Removes the members of a rule that clients cannot set, so that they can send back what they received. */
export function withoutHits(rule: unknown): unknown {
  if (!isObject(rule)) return rule;
  return Object.fromEntries(Object.entries(rule).filter(([name]) => !READ_ONLY_MEMBERS.includes(name)));
}

/** Applies `withoutHits` to each item of an array. */
export function withoutAllHits(rules: unknown): unknown {
  return Array.isArray(rules) ? rules.map(withoutHits) : rules;
}

type RuleFile =
  | { readonly ok: true; readonly rules: unknown; readonly revision: number | undefined }
  | { readonly ok: false; readonly unknown: string | undefined };

const FILE_MEMBERS = ['revision', 'changed_at', 'rules'] as const satisfies (keyof RuleDocument)[];

/**
 * Reads the contents of a file: an array of rules, or an object like `RuleDocument`, whose revision must then be the current one.
 *
 * @returns the rules for the use case, which checks them; or, if the object is invalid, the quoted name of an unknown member (undefined if it has a different error)
 */
export function readRuleFile(value: unknown): RuleFile {
  if (!isObject(value)) return { ok: true, rules: withoutAllHits(value), revision: undefined };
  const [unknown] = unknownMembers(value, FILE_MEMBERS);
  const { rules, revision } = value;
  const isRevision = revision === undefined || isCount(revision);
  if (unknown !== undefined || rules === undefined || !isRevision) return { ok: false, unknown };
  return { ok: true, rules: withoutAllHits(rules), revision };
}

/** Returns the English message of an error. */
export function sentenceOfError({ problem, name = '' }: RuleError): string {
  return RULE_PROBLEMS[problem].replace('{{name}}', () => name);
}

/** The position of an error as a path: `rules[1].conditions.networks[0]`. Empty if the error concerns the whole list. */
export function pathOfError({ rule, member, entry }: RuleError): string {
  const outside: readonly unknown[] = RULE_MEMBERS;
  const parts = [
    rule === undefined ? '' : `rules[${rule}]`,
    member === undefined ? '' : `.${outside.includes(member) ? '' : 'conditions.'}${member}`,
    entry === undefined ? '' : `[${entry}]`,
  ];
  return parts.join('');
}

/** Converts the result of a test to the format of the API; `action` is null if no rule decides. */
export function toWireTest({ country, asn, matches, action, puzzle }: RuleTest) {
  return {
    country: country ?? null,
    asn: asn ?? null,
    action: action === undefined ? null : toWireAction(action),
    matches: matches.map(({ scope, index, rule, role }) => ({
      scope,
      index,
      role,
      rule: rule === undefined ? null : { id: rule.id, name: rule.name, ...toWireAction(rule.action) },
    })),
    puzzle: puzzle ?? null,
  };
}

function toWireAction(action: RuleAction): Pick<WireRule, 'action' | 'levels' | 'level'> {
  const { kind, ...level } = action;
  return { action: kind, ...level };
}
