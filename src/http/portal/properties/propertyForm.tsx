import { type Html, html } from '../../../lib/html.ts';
import { done, type Outcome, refuse } from '../../../lib/outcome.ts';
import { parseDomain } from '../../../model/domain.ts';
import {
  DEFAULT_SETTINGS,
  type Property,
  parseGrowth,
  parseIntegerSetting,
  parsePropertyName,
  SETTING_RANGES,
} from '../../../model/property.ts';
import type { PropertyCreation } from '../../../model/task.ts';
import { checkbox, select } from '../components/choices.tsx';
import { field, type Mistake } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { type FieldOfProblem, mistakeFor, type PageProblem } from '../kit/messages.ts';
import { costSentence, costTable } from './solveCost.tsx';

/** Values of `max_replay_count` that accept repeated solutions. */
const REPEATS_RANGE = { ...SETTING_RANGES.allowance, min: 2 };

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
    accept_repeated: property.allowance >= REPEATS_RANGE.min,
    max_replay_count: String(Math.max(property.allowance, REPEATS_RANGE.min)),
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
  const name = parsePropertyName(typed.name);
  const domain = parseDomain(typed.domain);
  const level = parseIntegerSetting('level', numberIn(typed.level));
  const growth = parseGrowth(typed.growth);
  const validity = parseIntegerSetting('validitySeconds', numberIn(typed.validity_seconds));
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
  const count = parseIntegerSetting('allowance', numberIn(typed.max_replay_count));
  return count.ok && count.value < REPEATS_RANGE.min ? refuse('repeats-too-few') : count;
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
  const nameHelp = 'For you and your colleagues; visitors never see it.';
  const domainHelp =
    'The host name of the pages with the form, such as example.com, without a scheme, port or path.';
  return html`${field({ name: 'name', label: 'Name', value: name, help: nameHelp, autocomplete: 'off' }, mistakes)}${field(
    {
      name: 'domain',
      label: 'Domain',
      value: domain,
      help: domainHelp,
      autocomplete: 'off',
      isLiteral: true,
    },
    mistakes,
  )}`;
}

/** Where else the widget may be. */
export function placeFields(typed: TypedProperty): Html {
  return html`${checkbox({
    name: 'allow_subdomains',
    label: 'Also on subdomains',
    help: 'On example.com this allows www.example.com and shop.example.com too.',
    isChecked: typed.allow_subdomains,
  })}${localhostField(typed)}`;
}

export function localhostField({ allow_localhost }: Pick<TypedProperty, 'allow_localhost'>): Html {
  return checkbox({
    name: 'allow_localhost',
    label: 'Also on localhost',
    help: 'For trying it out on your own machine. Switch it off when the site is live.',
    isChecked: allow_localhost,
  });
}

const GROWTH_NAMES = {
  constant: 'Constant: never harder',
  slow: 'Slow',
  medium: 'Medium',
  fast: 'Fast',
} as const;

/** How hard it is, how long it holds, how often it counts. */
export function workFields(typed: TypedProperty, mistakes: readonly Mistake[]): Html {
  const level = parseIntegerSetting('level', numberIn(typed.level));
  const shown = level.ok ? level.value : DEFAULT_SETTINGS.level;
  return html`${number('level', 'Level', typed.level, SETTING_RANGES.level, `How hard a puzzle is, from 1 to 255; eight levels more double the work. ${costSentence(shown)}`, mistakes)}<details class="costs"><summary>What other levels cost</summary>
${costTable(shown)}</details>
${select(
  {
    name: 'growth',
    label: 'Growth',
    value: typed.growth,
    options: GROWTH_NAMES,
    help: 'How fast puzzles become harder for somebody who asks for many, and a little for everybody in a rush.',
  },
  mistakes,
)}${number('validity_seconds', 'Validity in seconds', typed.validity_seconds, SETTING_RANGES.validitySeconds, 'How long a puzzle is good for, from 60 to 172800 (two days). A form that stays open for longer gets a new one by itself.', mistakes)}${repeatFields(typed, mistakes)}`;
}

/** The checkbox "Accept repeated solutions" and its count. */
function repeatFields(typed: TypedProperty, mistakes: readonly Mistake[]): Html {
  return html`${checkbox({
    name: 'accept_repeated',
    label: 'Accept repeated solutions',
    help: 'Check this only if your backend verifies the same form more than once. Otherwise, each solution is accepted once.',
    isChecked: typed.accept_repeated,
  })}${number('max_replay_count', 'Verifications of one solution', typed.max_replay_count, REPEATS_RANGE, 'How often one solution is accepted while it is valid, from 2 to 1000000. Used only if repeated solutions are accepted.', mistakes)}`;
}

type Range = { readonly min: number; readonly max: number };

function number(
  name: string,
  label: string,
  value: string,
  range: Range,
  help: string,
  mistakes: readonly Mistake[],
): Html {
  const parts = { name, label, value, range, help, type: 'number', autocomplete: 'off' } as const;
  return field(parts, mistakes);
}
