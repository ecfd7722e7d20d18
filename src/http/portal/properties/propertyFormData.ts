import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Property } from '../../../model/property.ts';
import { DEFAULT_SETTINGS, PROPERTY_FIELDS } from '../../../model/propertyFields.ts';
import type { PropertyCreation } from '../../../model/task.ts';
import type { FieldErrors } from '../components/field.tsx';
import { fieldOf } from '../kit/formData.ts';
import { fieldErrorOf, type PageProblem } from '../kit/messages.ts';

/** Values of `max_replay_count` that accept repeated solutions. */
export const REPEATS_FIELD = { ...PROPERTY_FIELDS.allowance, min: 2 };

/** The fields of the form as the user typed them. Their names are those of the Platform API. */
export type TypedProperty = ReturnType<typeof typedOf>;

/** A new property with the default settings. */
export const BLANK_PROPERTY = typedOf({ name: '', domain: '', ...DEFAULT_SETTINGS });

/** @returns the fields of an existing property */
export function typedOf(property: PropertyCreation | Property) {
  return {
    name: property.name,
    domain: property.domain,
    level: String(property.level),
    growth: String(property.growth),
    validity_seconds: String(property.validitySeconds),
    // If unchecked, each solution is accepted once, and `max_replay_count` is ignored.
    accept_repeated: property.allowance >= REPEATS_FIELD.min,
    max_replay_count: String(Math.max(property.allowance, REPEATS_FIELD.min)),
    allow_subdomains: property.allowsSubdomains,
    allow_localhost: property.allowsLocalhost,
  };
}

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
 * @returns the property, or the errors of all fields in the order of the form
 */
export function readPropertyForm(
  typed: TypedProperty,
  isEnabled = DEFAULT_SETTINGS.isEnabled,
): { readonly property: PropertyCreation } | { readonly errors: FieldErrors } {
  const name = PROPERTY_FIELDS.name.parse(typed.name);
  const domain = PROPERTY_FIELDS.domain.parse(typed.domain);
  const level = PROPERTY_FIELDS.level.parse(numberIn(typed.level));
  const growth = PROPERTY_FIELDS.growth.parse(typed.growth);
  const validity = PROPERTY_FIELDS.validitySeconds.parse(numberIn(typed.validity_seconds));
  const allowance = parseRepeats(typed);
  if (name.ok && domain.ok && level.ok && growth.ok && validity.ok && allowance.ok) {
    const property: PropertyCreation = {
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
    return { property };
  }
  const parsed: readonly Outcome<unknown, PageProblem>[] = [name, domain, level, growth, validity, allowance];
  return { errors: parsed.flatMap((one) => (one.ok ? [] : [fieldErrorOf(one.problem)])) };
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
