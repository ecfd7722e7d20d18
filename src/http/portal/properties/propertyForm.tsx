import { type Html, html } from '../../../lib/html.ts';
import { done, type Outcome, refuse } from '../../../lib/outcome.ts';
import type { Property } from '../../../model/property.ts';
import { DEFAULT_SETTINGS, type Growth, PROPERTY_FIELDS } from '../../../model/propertyFields.ts';
import type { PropertyCreation } from '../../../model/task.ts';
import { checkbox, select } from '../components/choices.tsx';
import { field, type Mistake } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { type FieldOfProblem, mistakeFor, type PageProblem } from '../kit/messages.ts';
import { costSentence, costTable } from './solveCost.tsx';

/** Values of `max_replay_count` that accept repeated solutions. */
const REPEATS_FIELD = { ...PROPERTY_FIELDS.allowance, min: 2 };

/** The fields of a site as they stand in the form. Their names are the Platform API's. */
export type TypedProperty = {
  readonly name: string;
  readonly domain: string;
  readonly level: string;
  readonly growth: string;
  readonly validity_seconds: string;
  /** If unchecked, each solution is accepted once, and `max_replay_count` is ignored. */
  readonly accept_repeated: boolean;
  readonly max_replay_count: string;
  readonly allow_subdomains: boolean;
  readonly allow_localhost: boolean;
};

/** A new site, with the settings that the Platform API gives it too. */
export const BLANK_PROPERTY: TypedProperty = typedOf({ name: '', domain: '', ...DEFAULT_SETTINGS });

/** @returns what the fields show of a site that is there */
export function typedOf(property: PropertyCreation | Property): TypedProperty {
  return {
    name: property.name,
    domain: property.domain,
    level: String(property.level),
    growth: property.growth,
    validity_seconds: String(property.validitySeconds),
    accept_repeated: property.allowance >= REPEATS_FIELD.min,
    max_replay_count: String(Math.max(property.allowance, REPEATS_FIELD.min)),
    allow_subdomains: property.allowsSubdomains,
    allow_localhost: property.allowsLocalhost,
  };
}

/** What was typed. */
export function typedIn(form: URLSearchParams): TypedProperty {
  return {
    name: fieldOf(form, 'name'),
    domain: fieldOf(form, 'domain'),
    level: fieldOf(form, 'level'),
    growth: fieldOf(form, 'growth'),
    validity_seconds: fieldOf(form, 'validity_seconds'),
    accept_repeated: form.has('accept_repeated'),
    max_replay_count: fieldOf(form, 'max_replay_count'),
    allow_subdomains: form.has('allow_subdomains'),
    allow_localhost: form.has('allow_localhost'),
  };
}

/**
 * @param isEnabled not a field of the form
 * @returns the property, or every mistake, in the order of the fields
 */
export function readPropertyForm(
  typed: TypedProperty,
  isEnabled = DEFAULT_SETTINGS.isEnabled,
): { readonly site: PropertyCreation } | { readonly mistakes: readonly Mistake[] } {
  const name = PROPERTY_FIELDS.name.parse(typed.name);
  const domain = PROPERTY_FIELDS.domain.parse(typed.domain);
  const level = PROPERTY_FIELDS.level.parse(numberIn(typed.level));
  const growth = PROPERTY_FIELDS.growth.parse(typed.growth);
  const validity = PROPERTY_FIELDS.validitySeconds.parse(numberIn(typed.validity_seconds));
  const allowance = parseRepeats(typed);
  if (name.ok && domain.ok && level.ok && growth.ok && validity.ok && allowance.ok) {
    const site: PropertyCreation = {
      name: name.value,
      domain: domain.value,
      level: level.value,
      growth: growth.value,
      validitySeconds: validity.value,
      allowance: allowance.value,
      allowsSubdomains: typed.allow_subdomains,
      allowsLocalhost: typed.allow_localhost,
      isEnabled,
    };
    return { site };
  }
  const parsed: readonly Outcome<unknown, PageProblem>[] = [name, domain, level, growth, validity, allowance];
  return { mistakes: parsed.flatMap((one) => (one.ok ? [] : [propertyMistake(one.problem)])) };
}

function parseRepeats(typed: TypedProperty): Outcome<number, 'allowance-malformed' | 'repeats-too-few'> {
  if (!typed.accept_repeated) return done(1);
  const count = PROPERTY_FIELDS.allowance.parse(numberIn(typed.max_replay_count));
  return count.ok && count.value < REPEATS_FIELD.min ? refuse('repeats-too-few') : count;
}

/** Digits alone: no sign, no exponent, nothing that only a program takes for a number. */
function numberIn(text: string): number {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN;
}

const FIELDS: FieldOfProblem<keyof TypedProperty> = {
  'property-name-empty': 'name',
  'property-name-too-long': 'name',
  'property-name-malformed': 'name',
  'property-name-taken': 'name',
  'domain-empty': 'domain',
  'domain-localhost': 'domain',
  'domain-is-address': 'domain',
  'domain-not-valid': 'domain',
  'domain-is-suffix': 'domain',
  'domain-malformed': 'domain',
  'domain-unresolved': 'domain',
  'dns-unanswered': 'domain',
  'level-malformed': 'level',
  'growth-unknown': 'growth',
  'validity-malformed': 'validity_seconds',
  'allowance-malformed': 'max_replay_count',
  'repeats-too-few': 'max_replay_count',
};

/** A problem at the field that it is about; a quota, for example, is about none. */
export function propertyMistake(problem: PageProblem): Mistake {
  return mistakeFor(problem, FIELDS);
}

/** Name and domain. */
export function namingFields({ name, domain }: TypedProperty, mistakes: readonly Mistake[]): Html {
  const parts = { autocomplete: 'off' } as const;
  return html`${field({ ...PROPERTY_FIELDS.name, ...parts, value: name }, mistakes)}${field(
    { ...PROPERTY_FIELDS.domain, ...parts, value: domain, isLiteral: true },
    mistakes,
  )}`;
}

/** Where else the widget may be. */
export function placeFields(typed: TypedProperty): Html {
  return html`${checkbox({ ...PROPERTY_FIELDS.allowsSubdomains, isChecked: typed.allow_subdomains })}${localhostField(typed)}`;
}

export function localhostField({ allow_localhost }: Pick<TypedProperty, 'allow_localhost'>): Html {
  return checkbox({ ...PROPERTY_FIELDS.allowsLocalhost, isChecked: allow_localhost });
}

const GROWTH_NAMES: Readonly<Record<Growth, string>> = {
  constant: 'Constant: never harder',
  slow: 'Slow',
  medium: 'Medium',
  fast: 'Fast',
};

/** How hard it is, how long it holds, how often it counts. */
export function workFields(typed: TypedProperty, mistakes: readonly Mistake[]): Html {
  const level = PROPERTY_FIELDS.level.parse(numberIn(typed.level));
  const shown = level.ok ? level.value : DEFAULT_SETTINGS.level;
  return html`${number({ ...PROPERTY_FIELDS.level, help: `${PROPERTY_FIELDS.level.help} ${costSentence(shown)}` }, typed.level, mistakes)}<details class="costs"><summary>What other levels cost</summary>
${costTable(shown)}</details>
${select(
  { ...PROPERTY_FIELDS.growth, value: typed.growth, options: GROWTH_NAMES },
  mistakes,
)}${number(PROPERTY_FIELDS.validitySeconds, typed.validity_seconds, mistakes)}${repeatFields(typed, mistakes)}`;
}

/** The checkbox "Accept repeated solutions" and its count. */
function repeatFields(typed: TypedProperty, mistakes: readonly Mistake[]): Html {
  return html`${checkbox({
    name: 'accept_repeated',
    label: 'Accept repeated solutions',
    help: 'Check this only if your backend verifies the same form more than once. Otherwise, each solution is accepted once.',
    isChecked: typed.accept_repeated,
  })}${number({ ...REPEATS_FIELD, help: `${REPEATS_FIELD.help} Used only if repeated solutions are accepted.` }, typed.max_replay_count, mistakes)}`;
}

type NumberSetting = {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly min: number;
  readonly max: number;
};

function number(setting: NumberSetting, value: string, mistakes: readonly Mistake[]): Html {
  const { name, label, min, max } = setting;
  const help = `${setting.help} From ${min} to ${max}.`;
  const parts = {
    name,
    label,
    value,
    range: { min, max },
    help,
    type: 'number',
    autocomplete: 'off',
  } as const;
  return field(parts, mistakes);
}
