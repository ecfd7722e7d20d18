import type { Children } from '../../jsx/elements.ts';
import {
  type Challenge,
  DEFAULT_SETTINGS,
  PROPERTY_FIELDS,
  SETTING_FIELDS,
} from '../../model/propertyFields.ts';
import {
  Checkbox,
  descriptionOf,
  Field,
  type FormState,
  fieldsFor,
  fieldText,
  Notes,
  Select,
  When,
} from '../components/field.tsx';
import { Card } from '../components/sections.tsx';
import { grouped } from '../components/values.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { options, t, template } from '../i18n/t.tsx';
import type { SignedInVisit } from '../kit/handler.ts';
import { fragment } from '../kit/pages.tsx';
import {
  CUSTOM_LEVEL,
  numberIn,
  REPEATS_FIELD,
  type TypedProperty,
  VALIDITY_UNITS,
  type ValidityUnit,
} from './propertyFormData.ts';
import {
  CHALLENGES,
  ChallengeAdvice,
  CostTable,
  LevelCost,
  PRESET_NAMES,
  PRESETS,
  relativeWork,
  timesOf,
} from './solveCost.tsx';

type FieldsProps = { readonly form: FormState<TypedProperty> };

/** The name and the domain. A script reduces a URL in the field for the domain, as the server does. */
export function NamingFields({ form: { typed, errors } }: FieldsProps) {
  const { url, domain: value, name } = typed;
  const { checksDns } = pageContext().facts;
  const help = `${t('properties.form.domainHelp')}${checksDns ? ` ${t('properties.form.domainResolves')}` : ''}`;
  const domain = { ...fieldText('property', 'domain'), help, value, errors };
  const text = template('properties.form.reduced');
  return (
    <>
      <Field {...fieldText('property', 'name')} value={name} autocomplete="off" errors={errors} />
      <Field {...domain} autocomplete="off" isLiteral />
      <p class="field-note" id="domain-note" role="status" hidden={url === ''} data-text={text}>
        {url !== '' && t('properties.form.reduced', { url })}
      </p>
    </>
  );
}

export function LocalhostField({ typed }: { readonly typed: TypedProperty }) {
  return <Checkbox {...fieldText('property', 'allowsLocalhost')} value={typed.allow_localhost} />;
}

/** All fields of a property, in three cards. @param advice shown above the levels */
export function PropertyFields({ form, advice }: FieldsProps & { readonly advice?: Children }) {
  const { typed } = form;
  return (
    <>
      <Card title={t('properties.form.general')}>
        <NamingFields form={form} />
        <Checkbox {...fieldText('property', 'allowsSubdomains')} value={typed.allow_subdomains} />
        <LocalhostField typed={typed} />
      </Card>
      <Card title={t('properties.form.difficulty')}>
        {advice}
        {levelFields(form)}
      </Card>
      <Card title={t('properties.form.solutions')}>{solutionFields(form)}</Card>
    </>
  );
}

function levelFields(form: FormState<TypedProperty>) {
  const { typed, errors } = form;
  const field = fieldsFor('properties.form', form);
  const { min, max } = PROPERTY_FIELDS.level;
  const isCustom = !PRESET_NAMES.some((name) => String(PRESETS[name]) === typed.level.trim());
  const parsed = PROPERTY_FIELDS.level.parse(numberIn(isCustom ? typed.custom_level : typed.level));
  const level = parsed.ok ? parsed.value : DEFAULT_SETTINGS.level;
  const kind = PROPERTY_FIELDS.challenge.parse(typed.challenge);
  const challenge = kind.ok ? kind.value : DEFAULT_SETTINGS.challenge;
  const hasError = errors.some(({ field }) => field === 'growth');
  return (
    <>
      <fieldset class="presets">
        <legend>{t('properties.form.levelLabel')}</legend>
        {PRESET_NAMES.map((name) => {
          const value = String(PRESETS[name]);
          return (
            <label class="preset">
              <input type="radio" name="level" value={value} checked={typed.level.trim() === value} />
              <strong>
                {t(`properties.form.presets.${name}`)} · {PRESETS[name]}
              </strong>
              <span>{t(`properties.form.purposes.${name}`)}</span>
              <span class="work">
                {t('properties.form.presetWork', { factor: grouped(relativeWork(PRESETS[name])) })}
              </span>
              {presetCost(PRESETS[name], challenge)}
            </label>
          );
        })}
        <label class="preset">
          <input type="radio" name="level" value={CUSTOM_LEVEL} checked={isCustom} />
          <strong>{t('properties.form.presets.custom')}</strong>
          <span>{t('properties.form.purposes.custom')}</span>
        </label>
      </fieldset>
      <When>
        <Field
          {...field('custom_level')}
          help={t('properties.form.customLevelHelp', { min, max })}
          type="number"
          range={{ min, max }}
          isOptional
          autocomplete="off"
        />
      </When>
      <Select
        {...fieldText('property', 'challenge')}
        value={typed.challenge}
        options={options('properties.form.challenges', CHALLENGES)}
        errors={errors}
      />
      <ChallengeAdvice />
      <details class="exact" open={hasError}>
        <summary>{t('properties.form.exact')}</summary>
        <div>
          <Select
            {...fieldText('property', 'growth')}
            value={typed.growth}
            options={options('properties.form.growths', ['constant', 'slow', 'medium', 'fast'])}
            errors={errors}
          />
          <div id="level-cost" data-path={LEVEL_COST_PATH}>
            <LevelCost level={level} challenge={challenge} />
          </div>
          <CostTable level={level} challenge={challenge} />
        </div>
      </details>
    </>
  );
}

/** The times of a level with a name, by kind. A script shows those of the selected kind. */
function presetCost(level: number, selected: Challenge) {
  return (
    <>
      {CHALLENGES.map((challenge) => (
        <span class="soft" data-challenge={challenge} hidden={challenge !== selected}>
          {t('properties.form.presetCost', timesOf(level, challenge))}
        </span>
      ))}
    </>
  );
}

function solutionFields(form: FormState<TypedProperty>) {
  const { typed, errors } = form;
  const { min, max } = REPEATS_FIELD;
  return (
    <>
      {validityField(form)}
      <Checkbox {...fieldsFor('properties.form', form)('accept_repeated')} />
      <When>
        <Field
          {...fieldText('property', 'allowance')}
          help={t('properties.form.repeatsHelp', { min, max })}
          type="number"
          value={typed.max_replay_count}
          range={{ min, max }}
          autocomplete="off"
          errors={errors}
        />
      </When>
    </>
  );
}

function validityField(form: FormState<TypedProperty>) {
  const field = fieldsFor('properties.form', form)('validity');
  return (
    <div class="field">
      <label for="validity">{field.label}</label>
      <Notes {...field} />
      <div class="with-unit">
        <input
          id="validity"
          name="validity"
          type="text"
          inputmode="numeric"
          value={field.value}
          required
          autocomplete="off"
          {...descriptionOf(field)}
        />
        <select id="validity_unit" name="validity_unit" aria-label={t('properties.form.validityUnit')}>
          {(Object.keys(VALIDITY_UNITS) as ValidityUnit[]).map((unit) => (
            <option value={unit} selected={unit === form.typed.validity_unit}>
              {t(`properties.form.units.${unit}`)}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

/** A script replaces what a level costs when the level or the kind changes. */
const LEVEL_COST_PATH = '/portal/cost';

/** `GET /portal/cost?level=&challenge=`: what a level costs, for the script. */
export function getLevelCost(visit: SignedInVisit) {
  const level = SETTING_FIELDS.level.parse(numberIn(visit.query.get('level') ?? ''));
  const challenge = SETTING_FIELDS.challenge.parse(visit.query.get('challenge') ?? '');
  if (!level.ok || !challenge.ok)
    return new Response('The level or the challenge is invalid.', { status: 400 });
  return fragment(visit, <LevelCost level={level.value} challenge={challenge.value} />);
}
