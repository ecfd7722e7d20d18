import { isObject } from '../../lib/json.ts';
import { unknownMembers } from '../../lib/memberNames.ts';
import { runSteps, type Steps } from '../../lib/pacer.ts';
import { parseName } from '../name.ts';
import { type AddError, countPatterns, parseConditions } from './parseConditions.ts';
import {
  ADJUSTMENT,
  CONDITION_NAMES,
  type ParsedRules,
  RULE_ACTIONS,
  RULE_LIMITS,
  RULE_MEMBERS,
  type RuleAction,
  type RuleCondition,
  type RuleDraft,
  type RuleError,
  type RuleId,
  type RuleMember,
  type RuleProblem,
  SET_LEVEL,
} from './rule.ts';

/** How rules are given. */
export type ParseOptions = {
  /**
   * Whether a condition can also be one text. User agents, headers, and paths are on separate lines; other entries are separated by
   * commas, semicolons, or whitespace. An empty text is an absent condition.
   */
  readonly acceptsText?: boolean;
};

/** A rule in the format of the API and of files. */
export type WireRule = {
  readonly id?: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly dry_run: boolean;
  readonly action: string;
  /** Only with the action `adjust`. */
  readonly levels?: number;
  /** Only with the action `set`. */
  readonly level?: number;
  readonly conditions: {
    readonly networks?: readonly string[];
    readonly user_agents?: readonly string[];
    readonly headers?: readonly string[];
    readonly countries?: readonly string[];
    readonly asns?: readonly number[];
    readonly paths?: readonly string[];
    readonly downgrades?: readonly string[];
  };
};

/** Parses the id of a rule. @returns undefined if the text is not an id */
export function parseRuleId(text: string): RuleId | undefined {
  return /^[0-9a-f]{16}$/.test(text) ? (text as RuleId) : undefined;
}

/**
 * Parses rules in the format of the API. Absent members `enabled` and `dry_run` are true and false. Checks the limits of a list before
 * the work that grows with it.
 *
 * @param value any JSON value
 */
export function* parseRulesInSteps(
  value: unknown,
  { acceptsText = false }: ParseOptions = {},
): Steps<ParsedRules> {
  const errors: RuleError[] = [];
  const add: AddError = (problem, position) => {
    if (errors.length < RULE_LIMITS.errors) errors.push({ problem, ...position });
  };
  if (!Array.isArray(value)) add('rules-not-a-list', {});
  else if (value.length > RULE_LIMITS.rules) add('rules-too-many', { rule: RULE_LIMITS.rules });
  if (!Array.isArray(value) || errors.length > 0) return { ok: false, errors };
  const rules: RuleDraft[] = [];
  for (const [rule, raw] of value.entries()) {
    const parsed = yield* parseRule(raw, rule, acceptsText, add);
    if (parsed !== undefined) rules.push(parsed);
    if (errors.length === RULE_LIMITS.errors) break;
  }
  if (errors.length === 0) yield* checkList(rules, add);
  return errors.length === 0 ? { ok: true, value: rules } : { ok: false, errors };
}

/** Like `parseRulesInSteps` without turns, for commands. */
export function parseRules(value: unknown, options?: ParseOptions): ParsedRules {
  return runSteps(parseRulesInSteps(value, options));
}

/** Checks the limits of the list as a whole. Errors name the first rule that exceeds a limit. */
function* checkList(rules: readonly RuleDraft[], add: AddError): Steps<void> {
  const ids = new Set<RuleId>();
  const headerNames = new Set<string>();
  let [patterns, bytes] = [0, 2];
  for (const [index, rule] of rules.entries()) {
    if (rule.id !== undefined && ids.has(rule.id)) add('rule-id-repeated', { rule: index, member: 'id' });
    if (rule.id !== undefined) ids.add(rule.id);
    const counted = countPatterns(rule.conditions);
    patterns += counted.patterns;
    for (const name of counted.headerNames) headerNames.add(name);
    bytes += Buffer.byteLength(JSON.stringify(toWireRule(rule))) + 1;
    const exceeded = exceededLimit(patterns, headerNames.size, bytes);
    if (exceeded !== undefined) {
      add(exceeded, { rule: index });
      return;
    }
    yield;
  }
}

function exceededLimit(patterns: number, headerNames: number, bytes: number): RuleProblem | undefined {
  if (patterns > RULE_LIMITS.patterns) return 'patterns-too-many';
  if (headerNames > RULE_LIMITS.headerNames) return 'header-names-too-many';
  return bytes > RULE_LIMITS.bytes ? 'rules-too-large' : undefined;
}

/** @returns undefined if the rule has errors */
function* parseRule(raw: unknown, rule: number, acceptsText: boolean, addTo: AddError) {
  let isValid = true;
  const add: AddError = (problem, position) => {
    isValid = false;
    addTo(problem, position);
  };
  const reportAt = (member: RuleMember) => (problem: RuleError['problem']) => add(problem, { rule, member });
  if (!isObject(raw)) {
    add('rule-not-an-object', { rule });
    return undefined;
  }
  for (const name of unknownMembers(raw, RULE_MEMBERS).take(RULE_LIMITS.errors))
    add('member-unknown', { rule, name });
  const id = parseId(raw.id, reportAt('id'));
  const name = parseRuleName(raw.name, reportAt('name'));
  const isEnabled = parseBoolean(raw.enabled, true, reportAt('enabled'));
  const isDryRun = parseBoolean(raw.dry_run, false, reportAt('dry_run'));
  const action = parseAction(raw, (member, problem) => add(problem, { rule, member }));
  if (raw.conditions !== undefined && !isObject(raw.conditions))
    add('conditions-not-an-object', { rule, member: 'conditions' });
  const given = isObject(raw.conditions) ? raw.conditions : {};
  const conditions = yield* parseConditions(given, acceptsText, { rule }, add);
  if (!isValid || action === undefined) return undefined;
  return { ...(id === undefined ? {} : { id }), name, isEnabled, isDryRun, action, conditions };
}

type Report = (problem: RuleError['problem']) => void;

function parseId(value: unknown, report: Report): RuleId | undefined {
  if (value === undefined) return undefined;
  const id = typeof value === 'string' ? parseRuleId(value) : undefined;
  if (id === undefined) report('rule-id-malformed');
  return id;
}

function parseRuleName(value: unknown, report: Report): string {
  if (value !== undefined && typeof value !== 'string') {
    report('rule-name-malformed');
    return '';
  }
  const name = parseName('rule', value ?? '');
  if (name.ok) return name.value;
  report(name.problem);
  return '';
}

function parseBoolean(value: unknown, absent: boolean, report: Report): boolean {
  if (value === undefined) return absent;
  if (typeof value === 'boolean') return value;
  report('boolean-malformed');
  return absent;
}

function isWithin(
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

/** @returns undefined if the action has errors */
export function parseAction(
  { action, levels, level }: Readonly<Record<string, unknown>>,
  report: (member: RuleMember, problem: RuleError['problem']) => void,
): RuleAction | undefined {
  const kind = RULE_ACTIONS.find((known) => known === action);
  if (kind === undefined) {
    report('action', 'action-unknown');
    return undefined;
  }
  if (kind !== 'adjust' && levels !== undefined) report('levels', 'levels-not-accepted');
  if (kind !== 'set' && level !== undefined) report('level', 'level-not-accepted');
  if (kind === 'adjust') {
    if (isWithin(levels, ADJUSTMENT)) return { kind, levels };
    report('levels', 'levels-malformed');
    return undefined;
  }
  if (kind === 'set') {
    if (isWithin(level, SET_LEVEL)) return { kind, level };
    report('level', 'level-malformed');
    return undefined;
  }
  return { kind };
}

/** Converts a rule to the format of the API. */
export function toWireRule({ id, name, isEnabled, isDryRun, action, conditions }: RuleDraft): WireRule {
  return {
    ...(id === undefined ? {} : { id }),
    name,
    enabled: isEnabled,
    dry_run: isDryRun,
    action: action.kind,
    ...(action.kind === 'adjust' ? { levels: action.levels } : {}),
    ...(action.kind === 'set' ? { level: action.level } : {}),
    conditions: Object.fromEntries(
      Object.entries(conditions).map(([condition, list]) => [
        CONDITION_NAMES[condition as RuleCondition],
        list,
      ]),
    ),
  };
}
