import { patternsOfFamily } from '../../model/browserFamilies.ts';
import type { Problem } from '../../model/problems.ts';
import { toWireRule } from '../../model/rules/parseRules.ts';
import { CONDITION_NAMES, type Rule, type RuleCondition, type RuleError } from '../../model/rules/rule.ts';
import { pathOfError } from '../../model/rules/ruleDocument.ts';
import { type FieldError, type FieldErrors, type FormState, formState } from '../components/field.tsx';
import { t } from '../i18n/t.tsx';
import { errorOf, fieldOf } from '../kit/forms.ts';
import { modeOf } from './ruleSummary.tsx';

/** The conditions in the order of the form. */
const FORM_CONDITIONS = [
  'networks',
  'countries',
  'asns',
  'paths',
  'userAgents',
  'headers',
  'downgrades',
] as const satisfies readonly RuleCondition[];

/** The fields of the form as the user typed them. The names are those of the API, except `mode` and `place`. */
export type TypedRule = Readonly<
  Record<
    'name' | (typeof CONDITION_NAMES)[RuleCondition] | 'action' | 'levels' | 'level' | 'mode' | 'place',
    string
  >
>;

/** A new rule starts as a dry run, at the end of the list. */
export const BLANK_RULE: TypedRule = {
  name: '',
  networks: '',
  countries: '',
  asns: '',
  paths: '',
  user_agents: '',
  headers: '',
  downgrades: '',
  action: 'block',
  levels: '',
  level: '',
  mode: 'dry_run',
  place: 'last',
};

/** @returns the fields of an existing rule, with each entry of a condition on its own line */
export function typedRuleOf(rule: Rule): TypedRule {
  const { conditions, levels, level } = toWireRule(rule);
  const texts = FORM_CONDITIONS.map((condition) => {
    const name = CONDITION_NAMES[condition];
    return [name, (conditions[name] ?? []).join('\n')];
  });
  return {
    ...BLANK_RULE,
    ...Object.fromEntries(texts),
    name: rule.name,
    action: rule.action.kind,
    levels: String(levels ?? ''),
    level: String(level ?? ''),
    mode: modeOf(rule),
  };
}

/** Characters of the name of a suggested rule: a host can be longer than a name. */
const SUGGESTED_NAME_LENGTH = 100;

/** @returns the fields of a rule for a network, country, browser family, or host in the query; undefined if there is none */
export function suggestedRule(query: URLSearchParams): TypedRule | undefined {
  const names = ['network', 'country', 'browser', 'host'] as const;
  const [network = '', country = '', browser = '', host = ''] = names.map((name) => fieldOf(query, name));
  const values = [network, country, browser, host].filter((value) => value !== '');
  if (values.length === 0) return undefined;
  return {
    ...BLANK_RULE,
    name: t('traffic.ruleName', { value: values.join(', ') }).slice(0, SUGGESTED_NAME_LENGTH),
    networks: network,
    countries: country,
    user_agents: patternsOfFamily(browser).join('\n'),
    headers: host === '' ? '' : `origin: *://${host}\norigin: *://${host}:*`,
  };
}

export function typedRuleIn(form: URLSearchParams): TypedRule {
  const fields = Object.keys(BLANK_RULE).map((name) => [name, fieldOf(form, name).replaceAll('\r\n', '\n')]);
  return { ...BLANK_RULE, ...Object.fromEntries(fields) };
}

/** @returns the rule in the format of the API, with each condition as one text; the use case checks it */
export function wireRuleOf(typed: TypedRule): unknown {
  const { name, action, mode, levels, level } = typed;
  const conditions = FORM_CONDITIONS.map((condition) => {
    const key = CONDITION_NAMES[condition];
    return [key, typed[key]] as const;
  }).filter(([, text]) => text.trim() !== '');
  return {
    name,
    enabled: mode !== 'disabled',
    dry_run: mode === 'dry_run',
    action,
    ...(action === 'adjust' && { levels: wholeNumberIn(levels) }),
    ...(action === 'set' && { level: wholeNumberIn(level) }),
    conditions: Object.fromEntries(conditions),
  };
}

/** @returns the text itself if it is not a whole number, which the parser rejects */
function wholeNumberIn(text: string): number | string {
  return /^\s*[+-]?\d{1,4}\s*$/.test(text) ? Number(text) : text;
}

type Rejection = { readonly problem: Problem; readonly errors?: readonly RuleError[] };

/** The form of a rule that was rejected, with the errors at its fields and their positions. */
export function rejectedRule(typed: TypedRule, { problem, errors }: Rejection): FormState<TypedRule> {
  const found = errors?.map((error) => formErrorOf(error, typed)) ?? [errorOf(problem)];
  return formState(typed, found);
}

function formErrorOf({ problem, member, entry, offset, name = '' }: RuleError, typed: TypedRule): FieldError {
  if (problem === 'conditions-missing') return { field: 'networks', text: t('rules.errors.conditions') };
  const sentence = t(`rules.problems.${problem}`, { name });
  if (member === undefined || !(member in typed)) return { text: sentence };
  const isShort = member === 'name' || member === 'action' || member === 'levels' || member === 'level';
  if (isShort) return { field: member, text: sentence };
  if (offset !== undefined) {
    const before = typed[member as keyof TypedRule].slice(0, offset).split('\n');
    const position = { line: before.length, character: (before.at(-1)?.length ?? 0) + 1 };
    return { field: member, text: t('rules.errors.atLine', { ...position, problem: sentence }) };
  }
  if (entry === undefined) return { field: member, text: sentence };
  return { field: member, text: t('rules.errors.atEntry', { entry: entry + 1, problem: sentence }) };
}

/** The errors of a list as JSON, with their paths. */
export function listErrorsOf({ problem, errors }: Rejection, field: string): FieldErrors {
  if (errors === undefined) return [errorOf(problem, field)];
  return errors.map((error) => {
    const path = pathOfError(error);
    const sentence = t(`rules.problems.${error.problem}`, { name: error.name ?? '' });
    if (path === '') return { field, text: sentence };
    if (error.offset === undefined)
      return { field, text: t('rules.errors.atPath', { path, problem: sentence }) };
    const character = error.offset + 1;
    return { field, text: t('rules.errors.atCharacter', { path, character, problem: sentence }) };
  });
}
