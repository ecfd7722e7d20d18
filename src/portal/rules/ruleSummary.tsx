import type { Children } from '../../jsx/elements.ts';
import type { RuleAction, RuleConditions } from '../../model/rules/rule.ts';
import { countryName, grouped } from '../components/values.tsx';
import { perLanguage } from '../i18n/pageContext.ts';
import { rich, t } from '../i18n/t.tsx';
import { CHALLENGE_NAMES } from '../properties/solveCost.tsx';

/** Characters of an entry that a summary shows. */
const ENTRY_LENGTH = 48;
/** The number of entries of a condition, and of headers, that a summary lists. If there is only one more, it lists that, too. */
const LISTED_ENTRIES = 2;

const alternatives = perLanguage((language) => new Intl.ListFormat(language, { type: 'disjunction' }));
const combination = perLanguage((language) => new Intl.ListFormat(language, { type: 'conjunction' }));
const signed = perLanguage((language) => new Intl.NumberFormat(language, { signDisplay: 'exceptZero' }));

/** The conditions of a rule as a sentence: `If the client address is in 192.0.2.0/24 and the country is Germany.` */
export function ConditionsSentence({ conditions }: { readonly conditions: RuleConditions }) {
  return rich('rules.sentence', { conditions: <>{joined(combination(), clausesOf(conditions))}</> });
}

/** The name of an action: `Block`, `+16 levels`. */
function actionName(action: RuleAction): string {
  if (action.kind === 'adjust') return t('rules.actions.adjust', { levels: signedLevels(action.levels) });
  if (action.kind === 'set') return t('rules.actions.set', { level: action.level });
  return t(`rules.actions.${action.kind}`);
}

/** A number of levels with its sign. */
export function signedLevels(levels: number): string {
  return signed().format(levels);
}

const TONES = { allow: 'good', block: 'bad', adjust: 'tuned', set: 'tuned' } as const;

export function ActionBadge({ action }: { readonly action: RuleAction }) {
  return <span class={`badge ${TONES[action.kind]}`}>{actionName(action)}</span>;
}

export type RuleMode = 'active' | 'dry_run' | 'disabled';

/** The mode that the pages show for the two flags of a rule. */
export function modeOf(rule: { readonly isEnabled: boolean; readonly isDryRun: boolean }): RuleMode {
  if (!rule.isEnabled) return 'disabled';
  return rule.isDryRun ? 'dry_run' : 'active';
}

const MODE_TONES = { active: ' good', dry_run: ' trial', disabled: '' } as const;

export function ModeBadge({ mode }: { readonly mode: RuleMode }) {
  return <span class={`badge${MODE_TONES[mode]}`}>{t(`rules.modes.${mode}`)}</span>;
}

/** Conditions with names instead of texts. */
const PLAIN: readonly string[] = ['countries', 'downgrades'];

/** A clause for each condition, in the order of the form. */
function clausesOf(conditions: RuleConditions): readonly Children[] {
  const { networks, countries, asns, paths, userAgents, downgrades, headers = [] } = conditions;
  const clauses = [
    ['networks', networks],
    ['countries', countries?.map(countryName)],
    ['asns', asns?.map((one) => `AS${one}`)],
    ['paths', paths],
    ['userAgents', userAgents],
    ['downgrades', downgrades?.map((kind) => CHALLENGE_NAMES[kind])],
  ] as const;
  const present = clauses.flatMap(([name, values]) =>
    values === undefined
      ? []
      : [rich(`rules.clauses.${name}`, { values: <Values of={values} isPlain={PLAIN.includes(name)} /> })],
  );
  return [...present, ...headerClauses(headers)];
}

/** Entries about the same header are alternatives, so each header has one clause. */
function headerClauses(headers: readonly string[]): readonly Children[] {
  const byName = Object.groupBy(headers, (entry) => nameIn(entry).toLowerCase());
  const { listed, others } = cut(Object.entries(byName));
  const clauses = listed.map(([name, entries = []]) => {
    const values = entries.filter((entry) => !entry.startsWith('!')).map(patternIn);
    const parts = { name: <code>{shortened(name)}</code>, values: <Values of={values} /> };
    if (values.length === 0) return rich('rules.clauses.headerMissing', parts);
    const clause = values.length === entries.length ? 'header' : 'headerMissingOr';
    return rich(`rules.clauses.${clause}`, parts);
  });
  return others === undefined ? clauses : [...clauses, others];
}

function nameIn(entry: string): string {
  return entry.startsWith('!') ? entry.slice(1).trim() : (entry.split(':', 1)[0] ?? '').trim();
}

function patternIn(entry: string): string {
  return entry.slice(entry.indexOf(':') + 1).trim();
}

/** The first entries of a condition as alternatives, and the number of the others. */
function Values(props: { readonly of: readonly string[]; readonly isPlain?: boolean }) {
  const { of: values, isPlain = false } = props;
  const { listed, others } = cut(values);
  const items: Children[] = listed
    .map(shortened)
    .map((value) => (isPlain ? <bdi>{value}</bdi> : <code>{value}</code>));
  if (others !== undefined) items.push(others);
  return <>{joined(alternatives(), items)}</>;
}

/** @returns the values that a summary lists, and the number of the others as a text */
function cut<T>(values: readonly T[]): { readonly listed: readonly T[]; readonly others?: string } {
  if (values.length <= LISTED_ENTRIES + 1) return { listed: values };
  const others = t('rules.more', { number: grouped(values.length - LISTED_ENTRIES) });
  return { listed: values.slice(0, LISTED_ENTRIES), others };
}

/** The first characters of a long text. */
export function shortened(value: string): string {
  return value.length <= ENTRY_LENGTH ? value : `${value.slice(0, ENTRY_LENGTH - 1).toWellFormed()}…`;
}

/** Joins elements as the list format joins texts. */
function joined(format: Intl.ListFormat, items: readonly Children[]): readonly Children[] {
  const parts = format.formatToParts(items.map((_, index) => String(index)));
  return parts.map(({ type, value }) => (type === 'element' ? items[Number(value)] : value));
}
