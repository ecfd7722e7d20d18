import type { Children } from '../../jsx/elements.ts';
import { ADJUSTMENT, SET_LEVEL } from '../../model/rules/rule.ts';
import type { CountedRules } from '../../platform/rules/rules.ts';
import { Field, type FormState, fieldsFor, Radios, Select, TextArea } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { options, t } from '../i18n/t.tsx';
import type { PortalDeps } from '../kit/handler.ts';
import type { TypedRule } from './ruleFormData.ts';
import type { RulePlace } from './rulePlace.tsx';

/** The fields of a rule. @param list for a new rule: the list, which it can be inserted into */
export function ruleFields(form: FormState<TypedRule>, { rules }: PortalDeps, list?: CountedRules) {
  return (
    <>
      <Card title={t('rules.form.general')}>
        <Field {...fieldsFor('rules.form', form)('name')} autocomplete="off" />
        {list !== undefined && list.rules.length > 0 && (
          <Select
            name="place"
            label={t('rules.form.position')}
            help={t('rules.form.positionHelp')}
            value={form.typed.place}
            options={placesIn(list)}
          />
        )}
      </Card>
      <Card title={t('rules.form.conditions')}>
        <p>{t('rules.form.conditionsHelp')}</p>
        {conditionFields(form, rules.geoip())}
      </Card>
      <Card title={t('rules.form.action')}>{actionFields(form)}</Card>
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

/** The fields of the conditions. */
const CONDITION_FIELDS = [
  'networks',
  'paths',
  'countries',
  'asns',
  'user_agents',
  'headers',
  'downgrades',
] as const;

function conditionFields(form: FormState<TypedRule>, geoip: ReturnType<PortalDeps['rules']['geoip']>) {
  const field = fieldsFor('rules.form', form);
  // Without the GeoIP files, these conditions never match.
  const notes: Partial<Record<string, string>> = {
    ...(!geoip.hasCountries && { countries: t('rules.form.unknownCountries') }),
    ...(!geoip.hasAsns && { asns: t('rules.form.unknownAsns') }),
  };
  const filled = CONDITION_FIELDS.filter(
    (name) => form.typed[name] !== '' || form.errors.some((error) => error.field === name),
  );
  const open = filled.length > 0 ? filled : CONDITION_FIELDS.slice(0, 1);
  return (
    <div class="rule-conditions">
      {CONDITION_FIELDS.map((name) => {
        const { help = '', ...shown } = field(name);
        const note = notes[name];
        return (
          <details open={open.includes(name)}>
            <summary>{shown.label}</summary>
            <TextArea {...shown} help={note ? `${help} ${note}` : help} isOptional isLiteral />
          </details>
        );
      })}
    </div>
  );
}

function actionFields(form: FormState<TypedRule>) {
  const { typed, errors } = form;
  const field = fieldsFor('rules.form', form);
  const level = { type: 'number', autocomplete: 'off', isOptional: true } as const;
  const modes = {
    active: t('rules.form.active'),
    dry_run: t('rules.form.dryRun'),
    disabled: t('rules.form.disabled'),
  };
  return (
    <>
      <Radios
        name="action"
        label={t('rules.columns.action')}
        value={typed.action}
        options={options('rules.form', ['allow', 'block', 'adjust', 'set'])}
        errors={errors}
        fields={{
          adjust: (
            <Field
              {...field('levels')}
              help={t('rules.form.levelsHelp', ADJUSTMENT)}
              range={ADJUSTMENT}
              {...level}
            />
          ),
          set: (
            <Field
              {...field('level')}
              help={t('rules.form.levelHelp', SET_LEVEL)}
              range={SET_LEVEL}
              {...level}
            />
          ),
        }}
      />
      <Radios {...field('mode')} options={modes} />
    </>
  );
}

/** A form of any size: a condition can have thousands of entries. */
export function RuleForm(props: {
  readonly place: RulePlace;
  readonly action: string;
  readonly button: string;
  readonly tone?: 'danger' | 'main';
  readonly children?: Children;
}) {
  const { place, ...form } = props;
  const { visit, path } = place;
  return <Form {...form} visit={visit} cancelPath={path} enctype="multipart/form-data" class="plain" />;
}
