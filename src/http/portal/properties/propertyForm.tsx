import { DEFAULT_SETTINGS, type Growth, PROPERTY_FIELDS } from '../../../model/propertyFields.ts';
import { Card } from '../components/card.tsx';
import { Checkbox, Field, type FieldErrors, type FieldText, Select, textOf } from '../components/field.tsx';
import { numberIn, REPEATS_FIELD, type TypedProperty } from './propertyFormData.ts';
import { CostTable, costSentence } from './solveCost.tsx';

type FieldsProps = {
  readonly typed: TypedProperty;
  readonly errors: FieldErrors;
};

export function NamingFields({ typed, errors }: FieldsProps) {
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

export function LocalhostField({ typed }: { readonly typed: TypedProperty }) {
  return <Checkbox {...textOf(PROPERTY_FIELDS.allowsLocalhost)} isChecked={typed.allow_localhost} />;
}

const GROWTH_NAMES: Readonly<Record<Growth, string>> = {
  constant: 'Constant: the difficulty never rises',
  slow: 'Slow',
  medium: 'Medium',
  fast: 'Fast',
};

/** All fields of a property, in two cards. */
export function PropertyFields({ typed, errors }: FieldsProps) {
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
  readonly errors: FieldErrors;
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
