import type { Children, Element } from '../../jsx/elements.ts';
import { ADJUSTMENT, SET_LEVEL } from '../../model/rules/rule.ts';
import type { CountedRules } from '../../platform/rules/rules.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors, Radios, Select, TextArea } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import type { PortalDeps } from '../kit/handler.ts';
import type { TypedRule } from './ruleFormData.ts';
import type { RulePlace } from './rulePlace.tsx';

type RuleFieldsProps = {
  readonly typed: TypedRule;
  readonly errors: FieldErrors;
  readonly geoip: ReturnType<PortalDeps['rules']['geoip']>;
  /** For a new rule: the list, which it can be inserted into. */
  readonly list?: CountedRules;
};

/** The fields of a rule. */
export function RuleFields(props: RuleFieldsProps): Element {
  const { typed, errors, list } = props;
  return (
    <>
      <Card title={t('rules.form.general')}>
        <Field
          name="name"
          label={t('rules.form.name')}
          help={t('rules.form.nameHelp')}
          value={typed.name}
          autocomplete="off"
          errors={errors}
        />
        {list !== undefined && list.rules.length > 0 && (
          <Select
            name="place"
            label={t('rules.form.position')}
            help={t('rules.form.positionHelp')}
            value={typed.place}
            options={placesIn(list)}
            errors={errors}
          />
        )}
      </Card>
      <Card title={t('rules.form.conditions')}>
        <p>{t('rules.form.conditionsHelp')}</p>
        <ConditionFields {...props} />
      </Card>
      <Card title={t('rules.form.action')}>
        <ActionFields {...props} />
      </Card>
    </>
  );
}

/** The positions of a new rule by the index that it gets. */
function placesIn({ rules }: CountedRules): Readonly<Record<string, string>> {
  const after = rules.slice(0, -1).map(({ name }, index): readonly [string, string] => {
    return [`after-${index + 1}`, t('rules.form.after', { number: index + 1, name })];
  });
  return { last: t('rules.form.last'), first: t('rules.form.first'), ...Object.fromEntries(after) };
}

/** @returns the index of the position that the user chose; undefined for the end of the list */
export function positionOf({ place }: TypedRule): number | undefined {
  if (place === 'first') return 0;
  const number = /^after-(\d{1,3})$/.exec(place)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** The fields of the conditions, and the keys of their texts. */
const CONDITION_FIELDS = [
  ['networks', 'networks'],
  ['paths', 'paths'],
  ['countries', 'countries'],
  ['asns', 'asns'],
  ['user_agents', 'userAgents'],
  ['headers', 'headers'],
] as const;

function ConditionFields({ typed, errors, geoip }: RuleFieldsProps): Element {
  // Without the GeoIP files, these conditions never match.
  const notes = {
    countries: geoip.hasCountries ? '' : ` ${t('rules.form.unknownCountries')}`,
    asns: geoip.hasAsns ? '' : ` ${t('rules.form.unknownAsns')}`,
  };
  return (
    <div class="rule-conditions">
      {CONDITION_FIELDS.map(([name, key]) => (
        <TextArea
          name={name}
          label={t(`rules.form.${key}`)}
          help={`${t(`rules.form.${key}Help`)}${name in notes ? notes[name as keyof typeof notes] : ''}`}
          value={typed[name]}
          isOptional
          isLiteral
          errors={errors}
        />
      ))}
    </div>
  );
}

function ActionFields({ typed, errors }: RuleFieldsProps): Element {
  return (
    <>
      <Radios
        name="action"
        label={t('rules.columns.action')}
        value={typed.action}
        options={{
          allow: t('rules.form.allow'),
          block: t('rules.form.block'),
          adjust: t('rules.form.adjust'),
          set: t('rules.form.set'),
        }}
        errors={errors}
      />
      <div class="rule-levels">
        <Field
          name="levels"
          label={t('rules.form.levels')}
          help={t('rules.form.levelsHelp', ADJUSTMENT)}
          type="number"
          range={ADJUSTMENT}
          value={typed.levels}
          autocomplete="off"
          isOptional
          errors={errors}
        />
        <Field
          name="level"
          label={t('rules.form.level')}
          help={t('rules.form.levelHelp', SET_LEVEL)}
          type="number"
          range={SET_LEVEL}
          value={typed.level}
          autocomplete="off"
          isOptional
          errors={errors}
        />
      </div>
      <Radios
        name="mode"
        label={t('rules.form.mode')}
        value={typed.mode}
        options={{
          active: t('rules.form.active'),
          dry_run: t('rules.form.dryRun'),
          disabled: t('rules.form.disabled'),
        }}
        errors={errors}
      />
    </>
  );
}

/** A form of any size: a condition can have thousands of entries. */
export function RuleForm(props: {
  readonly place: RulePlace;
  readonly action: string;
  readonly button: string;
  readonly children?: Children;
}) {
  const { place, action, button, children } = props;
  return (
    <Form
      visit={place.visit}
      action={action}
      button={button}
      cancelPath={place.path}
      enctype="multipart/form-data"
      class="plain"
    >
      {children}
    </Form>
  );
}
