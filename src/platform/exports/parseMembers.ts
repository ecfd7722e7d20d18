import { isObject } from '../../lib/json.ts';
import { unknownMembers } from '../../lib/memberNames.ts';
import { type Outcome, reject } from '../../lib/outcome.ts';
import type { ErrorList, ImportProblem } from '../../model/exportDocument.ts';
import { parseRules } from '../../model/rules/parseRules.ts';
import { CONDITION_NAMES, type RuleDraft, type RuleError } from '../../model/rules/rule.ts';
import { sentenceOfError } from '../../model/rules/ruleDocument.ts';

/** A member of an object in a document. */
type Member<T = unknown> = {
  readonly parse: (value: unknown) => Outcome<T, ImportProblem>;
  /** The value if the member is missing; without it, the member is required. */
  readonly default?: T;
};

type Members = Readonly<Record<string, Member>>;
type ValuesOf<M extends Members> = {
  readonly [Name in keyof M]: M[Name] extends Member<infer Value> ? Value : never;
};

/** @returns a parser that accepts only strings */
export function stringWith<T, P extends ImportProblem>(
  parse: (text: string) => Outcome<T, P>,
): (value: unknown) => Outcome<T, P | 'not-a-string'> {
  return (value) => (typeof value === 'string' ? parse(value) : reject('not-a-string'));
}

/**
 * Parses an object. Adds all errors in its members, and an error for each unknown member.
 *
 * @returns undefined if there was an error
 */
export function parseMembers<M extends Members>(
  members: M,
  value: unknown,
  path: string,
  errors: ErrorList,
): ValuesOf<M> | undefined {
  if (!isObject(value)) {
    errors.add(path, 'not-an-object');
    return undefined;
  }
  let isValid = true;
  const fail = (at: string, problem: ImportProblem, detail?: string) => {
    errors.add(at, problem, detail);
    isValid = false;
  };
  for (const name of unknownMembers(value, Object.keys(members))) fail(path, 'member-not-accepted', name);
  const parsed: Record<string, unknown> = {};
  for (const [name, { parse, default: missing }] of Object.entries(members)) {
    if (!Object.hasOwn(value, name)) {
      if (missing === undefined) fail(path, 'member-missing', name);
      parsed[name] = missing;
      continue;
    }
    const outcome = parse(value[name]);
    if (outcome.ok) parsed[name] = outcome.value;
    else fail(`${path}.${name}`, outcome.problem);
  }
  return isValid ? (parsed as ValuesOf<M>) : undefined;
}

/** Parses each item of an array. Items with errors are missing in the result. */
export function parseItems<T>(
  value: unknown,
  path: string,
  errors: ErrorList,
  parse: (item: unknown, path: string, index: number) => T | undefined,
): readonly T[] {
  if (!Array.isArray(value)) {
    errors.add(path, 'not-an-array');
    return [];
  }
  return value.flatMap((item, index) => parse(item, `${path}[${index}]`, index) ?? []);
}

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

function detailOf(error: RuleError): string {
  const sentence = sentenceOfError(error);
  return error.offset ? `${sentence} (character ${error.offset + 1})` : sentence;
}
