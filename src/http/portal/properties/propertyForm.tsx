import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Property } from '../../../model/property.ts';
import { DEFAULT_SETTINGS, type Growth, PROPERTY_FIELDS } from '../../../model/propertyFields.ts';
import type { PropertyCreation } from '../../../model/task.ts';
import type { Element } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { Checkbox, Field, type FieldError, type FieldText, Select, textOf } from '../components/field.tsx';
import { fieldOf } from '../kit/formData.ts';
import { fieldErrorOf, type PageProblem } from '../kit/messages.ts';
import { CostTable, costSentence } from './solveCost.tsx';

/** Values of `max_replay_count` that accept repeated solutions. */
const REPEATS_FIELD = { ...PROPERTY_FIELDS.allowance, min: 2 };

/** The fields of the form as the user typed them. Their names are those of the Platform API. */
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

/** A new property with the default settings. */
export const BLANK_PROPERTY: TypedProperty = typedOf({ name: '', domain: '', ...DEFAULT_SETTINGS });

/** @returns the fields of an existing property */
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

/** @returns the fields that the form sent */
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
): { readonly property: PropertyCreation } | { readonly errors: readonly FieldError[] } {
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
function numberIn(text: string): number {
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : Number.NaN;
}

type FieldsProps = {
  /** The current values. */
  readonly typed: TypedProperty;
  readonly errors: readonly FieldError[];
};

/** The fields for the name and the domain. */
export function NamingFields({ typed, errors }: FieldsProps): Element {
  return (
    <>
      <Field {...textOf(PROPERTY_FIELDS.name)} value={typed.name} autocomplete="off" errors={errors} />
      <Field
        {...textOf(PROPERTY_FIELDS.domain)}
        value={typed.domain}
        autocomplete="off"
        isLiteral
        errors={errors}
      />
    </>
  );
}

/** The checkbox for localhost. */
export function LocalhostField({ typed }: { readonly typed: TypedProperty }): Element {
  return <Checkbox {...textOf(PROPERTY_FIELDS.allowsLocalhost)} isChecked={typed.allow_localhost} />;
}

const GROWTH_NAMES: Readonly<Record<Growth, string>> = {
  constant: 'Constant: the difficulty never rises',
  slow: 'Slow',
  medium: 'Medium',
  fast: 'Fast',
};

/** All fields of a property, in two cards. */
export function PropertyFields({ typed, errors }: FieldsProps): Element {
  return (
    <>
      <Card title="Property">
        <NamingFields typed={typed} errors={errors} />
        <Checkbox {...textOf(PROPERTY_FIELDS.allowsSubdomains)} isChecked={typed.allow_subdomains} />
        <LocalhostField typed={typed} />
      </Card>
      <Card title="Puzzles">
        <PuzzleFields typed={typed} errors={errors} />
      </Card>
    </>
  );
}

/** The fields for the difficulty, the validity, and repeated solutions. */
function PuzzleFields({ typed, errors }: FieldsProps) {
  const { level, growth, validitySeconds } = PROPERTY_FIELDS;
  const parsed = level.parse(numberIn(typed.level));
  const shown = parsed.ok ? parsed.value : DEFAULT_SETTINGS.level;
  return (
    <>
      <NumberField setting={level} note={costSentence(shown)} value={typed.level} errors={errors} />
      <details class="costs">
        <summary>Cost of other levels</summary>
        <CostTable level={shown} />
      </details>
      <Select {...textOf(growth)} value={typed.growth} options={GROWTH_NAMES} errors={errors} />
      <NumberField setting={validitySeconds} value={typed.validity_seconds} errors={errors} />
      <Checkbox
        name="accept_repeated"
        label="Accept repeated solutions"
        help="Check this only if your backend verifies the same form more than once. Otherwise, each solution is accepted once."
        isChecked={typed.accept_repeated}
      />
      <NumberField
        setting={REPEATS_FIELD}
        note="Used only if repeated solutions are accepted."
        value={typed.max_replay_count}
        errors={errors}
      />
    </>
  );
}

function NumberField(props: {
  readonly setting: FieldText & { readonly min: number; readonly max: number };
  /** Follows the help text. */
  readonly note?: string;
  readonly value: string;
  readonly errors: readonly FieldError[];
}) {
  const { setting, note, value, errors } = props;
  const { min, max } = setting;
  const help = [setting.help, ...(note === undefined ? [] : [note]), `From ${min} to ${max}.`].join(' ');
  return (
    <Field
      {...textOf(setting)}
      help={help}
      type="number"
      value={value}
      range={{ min, max }}
      autocomplete="off"
      errors={errors}
    />
  );
}
