import { unknownMembers } from '../../lib/memberNames.ts';
import type { Steps } from '../../lib/pacer.ts';
import { ENTRY_PARSERS, isAsn, splitHeader } from './parseEntry.ts';
import {
  CONDITION_NAMES,
  RULE_LIMITS,
  type RuleCondition,
  type RuleConditions,
  type RuleError,
  type RuleProblem,
} from './rule.ts';

/** Where an error is: its members except the problem. */
type Position = Omit<RuleError, 'problem'>;

/** Receives an error. */
export type AddError = (problem: RuleProblem, position: Position) => void;

/** An entry before it is parsed. Its offset is undefined if the entries are items of an array. */
type RawEntry = { readonly value: unknown; readonly offset?: number };

const CONDITIONS = Object.keys(CONDITION_NAMES) as readonly RuleCondition[];
const NAMES: readonly string[] = Object.values(CONDITION_NAMES);

/** Parses the conditions of one rule. @param position the position of the rule @returns the conditions that have no errors */
export function* parseConditions(
  value: object,
  acceptsText: boolean,
  position: Position,
  add: AddError,
): Steps<RuleConditions> {
  const given: Readonly<Record<string, unknown>> = { ...value };
  for (const name of unknownMembers(given, NAMES).take(RULE_LIMITS.errors))
    add('member-unknown', { ...position, member: 'conditions', name });
  const conditions: Partial<Record<RuleCondition, readonly (string | number)[]>> = {};
  let hasAny = false;
  for (const condition of CONDITIONS) {
    const list = given[CONDITION_NAMES[condition]];
    // A form sends an empty text for a condition that does not matter.
    if (list === undefined || (acceptsText && typeof list === 'string' && list.trim() === '')) continue;
    hasAny = true;
    conditions[condition] = yield* parseCondition(condition, list, acceptsText, position, add);
  }
  if (!hasAny) add('conditions-missing', { ...position, member: 'conditions' });
  return conditions as RuleConditions;
}

/** Entries that are parsed in one step. */
const STEP = 128;

function* parseCondition(
  condition: RuleCondition,
  list: unknown,
  acceptsText: boolean,
  rule: Position,
  add: AddError,
): Steps<readonly (string | number)[]> {
  const position: Position = { ...rule, member: CONDITION_NAMES[condition] };
  const limit = RULE_LIMITS.entries[condition];
  const entries = toEntries(condition, list, acceptsText, limit);
  if (entries === undefined) {
    add('condition-not-a-list', position);
    return [];
  }
  if (entries.length === 0) add('condition-empty', position);
  if (entries.length > limit) {
    add('condition-too-long', { ...position, entry: limit });
    return [];
  }
  const parseNext = createParseNext(condition, position, add);
  const values: (string | number)[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % STEP === 0) yield;
    const parsed = parseNext(entry, index);
    if (parsed !== undefined) values.push(parsed);
  }
  return values;
}

/** @returns a function that parses one entry after the other; it returns undefined for an entry with an error */
function createParseNext(condition: RuleCondition, position: Position, add: AddError) {
  const keys = new Set<string>();
  return ({ value, offset }: RawEntry, entry: number): string | number | undefined => {
    const parsed = parseEntry(condition, value);
    const problem = parsed.ok ? (keys.has(parsed.key) ? 'entry-repeated' : undefined) : parsed.problem;
    if (parsed.ok) keys.add(parsed.key);
    if (problem === undefined && parsed.ok) return parsed.value;
    const at = offsetOf(offset, parsed.ok ? 0 : parsed.offset);
    add(problem ?? 'entry-mistyped', { ...position, entry, ...(at === undefined ? {} : { offset: at }) });
    return undefined;
  };
}

/** @returns the position in the whole text, or in the entry */
function offsetOf(start: number | undefined, offset: number | undefined): number | undefined {
  return start === undefined ? offset : start + (offset ?? 0);
}

/** @returns at most one entry more than the limit; undefined if the value is not a list */
function toEntries(condition: RuleCondition, list: unknown, acceptsText: boolean, limit: number) {
  if (Array.isArray(list)) return list.slice(0, limit + 1).map((value: unknown) => ({ value }));
  if (typeof list !== 'string' || !acceptsText) return undefined;
  const isPattern = condition === 'userAgents' || condition === 'headers' || condition === 'paths';
  return splitText(list, isPattern, limit);
}

/** Splits a text into entries: lines, or words that are separated by whitespace, commas, or semicolons. */
function splitText(text: string, byLine: boolean, limit: number): readonly RawEntry[] {
  const entries: RawEntry[] = [];
  for (const { 0: value, index } of text.matchAll(byLine ? /[^\s][^\r\n]*/g : /[^\s,;]+/g)) {
    entries.push({ value: value.trimEnd(), offset: index });
    if (entries.length > limit) break;
  }
  return entries;
}

function parseEntry(condition: RuleCondition, value: unknown) {
  if (condition === 'asns' && typeof value === 'number') {
    return isAsn(value)
      ? ({ ok: true, value, key: String(value) } as const)
      : ({ ok: false, problem: 'asn-malformed' } as const);
  }
  if (typeof value !== 'string') return { ok: false, problem: 'entry-mistyped' } as const;
  if (value.length > RULE_LIMITS.entryLength)
    return { ok: false, problem: 'entry-too-long', offset: RULE_LIMITS.entryLength } as const;
  const text = value.trim();
  if (text === '') return { ok: false, problem: 'entry-empty', offset: 0 } as const;
  const parsed = ENTRY_PARSERS[condition](text);
  if (parsed.ok || parsed.offset === undefined) return parsed;
  return { ...parsed, offset: parsed.offset + value.indexOf(text) };
}

/** What the patterns of one rule contribute to the limits of its list. */
export function countPatterns(conditions: RuleConditions): {
  readonly patterns: number;
  readonly headerNames: readonly string[];
} {
  const { userAgents = [], headers = [], paths = [] } = conditions;
  const names = headers.flatMap((text) => {
    const header = splitHeader(text);
    return header.ok ? [header.value.name] : [];
  });
  return { patterns: userAgents.length + headers.length + paths.length, headerNames: names };
}
