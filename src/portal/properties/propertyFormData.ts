import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { hostOfUrl } from '../../model/domain.ts';
import type { Property } from '../../model/property.ts';
import { DEFAULT_SETTINGS, PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import type { PropertyCreation } from '../../model/task.ts';
import type { FieldErrors } from '../components/field.tsx';
import { fieldErrorOf, fieldOf } from '../kit/forms.ts';
import { PRESETS } from './solveCost.tsx';

/** Units of the validity in forms, in seconds. The API has only seconds. */
export const VALIDITY_UNITS = { seconds: 1, minutes: 60, hours: 3600 } as const;

export type ValidityUnit = keyof typeof VALIDITY_UNITS;

/** A validity as a number and a unit. */
type TypedValidity = { readonly validity: string; readonly validity_unit: string };

/** Splits a number of seconds into a whole number of the largest unit that fits exactly, so that nothing is lost. */
export function typedValidityOf(seconds: number): TypedValidity {
  const unit = seconds % 3600 === 0 ? 'hours' : seconds % 60 === 0 ? 'minutes' : 'seconds';
  return { validity: String(seconds / VALIDITY_UNITS[unit]), validity_unit: unit };
}

const NUMBER = /^\d{1,9}(?:[.,]\d{1,4})?$/;

/** Parses a validity such as 1.5 hours. @returns whole seconds, in the range of the model */
export function parseValidity(typed: TypedValidity): Outcome<number, 'validity-out-of-range'> {
  const number = typed.validity.trim();
  const unit = Object.entries(VALIDITY_UNITS).find(([name]) => name === typed.validity_unit)?.[1];
  if (unit === undefined || !NUMBER.test(number)) return reject('validity-out-of-range');
  // Four decimals of an hour are multiples of 0.36 seconds, which are not exact in binary.
  const seconds = Math.round(Number(number.replace(',', '.')) * unit * 1e4) / 1e4;
  const parsed = PROPERTY_FIELDS.validitySeconds.parse(seconds);
  return parsed.ok ? parsed : reject('validity-out-of-range');
}

/** Values of `max_replay_count` that accept repeated solutions. */
export const REPEATS_FIELD = { ...PROPERTY_FIELDS.allowance, min: 2 };

/** The value of the field `level` if the level is in the field `custom_level`. */
export const CUSTOM_LEVEL = 'custom';

/** The fields of the form as the user typed them. Most names are those of the Platform API. */
export type TypedProperty = ReturnType<typeof typedOf>;

/** A new property with the default settings. */
export const BLANK_PROPERTY = typedOf({ name: '', domain: '', ...DEFAULT_SETTINGS });

/** @returns the fields of an existing property */
export function typedOf(property: PropertyCreation | Property) {
  return {
    name: property.name,
    domain: property.domain,
    /** The URL that was reduced to the domain; empty if the user entered a domain. */
    url: '',
    ...typedLevelOf(property.level),
    growth: String(property.growth),
    challenge: String(property.challenge),
    ...typedValidityOf(property.validitySeconds),
    // If unchecked, each solution is accepted once, and `max_replay_count` is ignored.
    accept_repeated: property.allowance >= REPEATS_FIELD.min,
    max_replay_count: String(Math.max(property.allowance, REPEATS_FIELD.min)),
    allow_subdomains: property.allowsSubdomains,
    allow_localhost: property.allowsLocalhost,
  };
}

/** A level with a name, or a custom level. */
function typedLevelOf(level: number): { readonly level: string; readonly custom_level: string } {
  const isPreset = Object.values(PRESETS).some((preset) => preset === level);
  return isPreset
    ? { level: String(level), custom_level: '' }
    : { level: CUSTOM_LEVEL, custom_level: String(level) };
}

/** Reads the level. A number that is not one of the levels with a name is a custom level. */
function levelIn(form: URLSearchParams): { readonly level: string; readonly custom_level: string } {
  const level = fieldOf(form, 'level').trim();
  const custom = fieldOf(form, 'custom_level');
  const isNamed = level === CUSTOM_LEVEL || Object.values(PRESETS).some((preset) => String(preset) === level);
  return isNamed || custom !== ''
    ? { level, custom_level: custom }
    : { level: CUSTOM_LEVEL, custom_level: level };
}

/** Reads the form. Reduces a URL in the field for the domain to its host, if the host can be a domain. */
export function typedIn(form: URLSearchParams): TypedProperty {
  const entered = fieldOf(form, 'domain');
  const host = hostOfUrl(entered) ?? '';
  const isReduced = PROPERTY_FIELDS.domain.parse(host).ok;
  return {
    name: fieldOf(form, 'name'),
    domain: isReduced ? host : entered,
    url: isReduced ? entered.trim() : '',
    ...levelIn(form),
    growth: fieldOf(form, 'growth'),
    challenge: fieldOf(form, 'challenge'),
    validity: fieldOf(form, 'validity'),
    validity_unit: fieldOf(form, 'validity_unit'),
    accept_repeated: form.has('accept_repeated'),
    max_replay_count: fieldOf(form, 'max_replay_count'),
    allow_subdomains: form.has('allow_subdomains'),
    allow_localhost: form.has('allow_localhost'),
  };
}

/**
 * @param isEnabled not a field of the form
 * @returns the property, or the errors of all fields in the order of the form
 */
export function readPropertyForm(
  typed: TypedProperty,
  isEnabled = DEFAULT_SETTINGS.isEnabled,
): { readonly property: PropertyCreation } | { readonly errors: FieldErrors } {
  const parsed = {
    name: PROPERTY_FIELDS.name.parse(typed.name),
    // The problem of a URL whose host cannot be a domain is that of its host.
    domain: PROPERTY_FIELDS.domain.parse(hostOfUrl(typed.domain) ?? typed.domain),
    level: parseLevel(typed),
    challenge: PROPERTY_FIELDS.challenge.parse(typed.challenge),
    growth: PROPERTY_FIELDS.growth.parse(typed.growth),
    validitySeconds: parseValidity(typed),
    allowance: parseRepeats(typed),
  };
  const errors = Object.values(parsed).flatMap((one) => (one.ok ? [] : [fieldErrorOf(one.problem)]));
  if (errors.length > 0) return { errors };
  const values = Object.entries(parsed).map(([key, one]) => [key, one.ok ? one.value : undefined]);
  const property = {
    // If there are no errors, each field has a value.
    ...(Object.fromEntries(values) as Pick<PropertyCreation, keyof typeof parsed>),
    allowsSubdomains: typed.allow_subdomains,
    allowsLocalhost: typed.allow_localhost,
    isEnabled,
  };
  return { property };
}

/** The problem of a custom level is at its field. */
function parseLevel({
  level,
  custom_level,
}: TypedProperty): Outcome<number, 'level-malformed' | 'level-not-custom'> {
  if (level === CUSTOM_LEVEL) return PROPERTY_FIELDS.level.parse(numberIn(custom_level));
  const isAmbiguous = custom_level.trim() !== '' && numberIn(custom_level) !== numberIn(level);
  return isAmbiguous ? reject('level-not-custom') : PROPERTY_FIELDS.level.parse(numberIn(level));
}

function parseRepeats(typed: TypedProperty): Outcome<number, 'allowance-malformed' | 'repeats-too-few'> {
  if (!typed.accept_repeated) return done(1);
  const count = PROPERTY_FIELDS.allowance.parse(numberIn(typed.max_replay_count));
  return count.ok && count.value < REPEATS_FIELD.min ? reject('repeats-too-few') : count;
}

/** @returns NaN for anything but digits, such as a sign or an exponent */
export function numberIn(text: string): number {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN;
}
