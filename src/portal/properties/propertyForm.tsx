import type { Children } from '../../jsx/elements.ts';
import {
  type Challenge,
  DEFAULT_SETTINGS,
  PROPERTY_FIELDS,
  SETTING_FIELDS,
} from '../../model/propertyFields.ts';
import { Card } from '../components/card.tsx';
import { Checkbox, Field, type FieldErrors, fieldText, Select } from '../components/field.tsx';
import { t, template } from '../i18n/t.ts';
import type { SignedInVisit } from '../kit/handler.ts';
import { fragment } from '../kit/responses.tsx';
import {
  CUSTOM_LEVEL,
  numberIn,
  REPEATS_FIELD,
  type TypedProperty,
  VALIDITY_UNITS,
  type ValidityUnit,
} from './propertyFormData.ts';
import { CostTable, LevelCost, PRESET_NAMES, PRESETS, timesOf } from './solveCost.tsx';

type FieldsProps = {
  readonly typed: TypedProperty;
  readonly errors: FieldErrors;
};

/** The name and the domain. A script reduces a URL in the field for the domain, as the server does. */
export function NamingFields({ typed, errors }: FieldsProps) {
  const { url, domain, name } = typed;
  return (
    <>
      <Field {...fieldText('property', 'name')} value={name} autocomplete="off" errors={errors} />
      <Field
        {...fieldText('property', 'domain')}
        help={t('properties.form.domainHelp')}
        value={domain}
        autocomplete="off"
        isLiteral
        errors={errors}
      />
      <p
        class="field-note"
        id="domain-note"
        role="status"
        hidden={url === ''}
        data-text={template('properties.form.reduced')}
      >
        {url !== '' && t('properties.form.reduced', { url })}
      </p>
    </>
  );
}

export function LocalhostField({ typed }: { readonly typed: TypedProperty }) {
  return <Checkbox {...fieldText('property', 'allowsLocalhost')} isChecked={typed.allow_localhost} />;
}

/** All fields of a property, in three cards. @param advice shown above the levels */
export function PropertyFields({ typed, errors, advice }: FieldsProps & { readonly advice?: Children }) {
  return (
    <>
      <Card title={t('properties.form.general')}>
        <NamingFields typed={typed} errors={errors} />
        <Checkbox {...fieldText('property', 'allowsSubdomains')} isChecked={typed.allow_subdomains} />
        <LocalhostField typed={typed} />
      </Card>
      <Card title={t('properties.form.difficulty')}>
        {advice}
        <LevelFields typed={typed} errors={errors} />
      </Card>
      <Card title={t('properties.form.solutions')}>
        <SolutionFields typed={typed} errors={errors} />
      </Card>
    </>
  );
}

/** The levels with a name, and the exact level with the growth. */
function LevelFields({ typed, errors }: FieldsProps) {
  const { min, max } = PROPERTY_FIELDS.level;
  const isCustom = !PRESET_NAMES.some((name) => String(PRESETS[name]) === typed.level.trim());
  const parsed = PROPERTY_FIELDS.level.parse(numberIn(isCustom ? typed.custom_level : typed.level));
  const level = parsed.ok ? parsed.value : DEFAULT_SETTINGS.level;
  const kind = PROPERTY_FIELDS.challenge.parse(typed.challenge);
  const challenge = kind.ok ? kind.value : DEFAULT_SETTINGS.challenge;
  const hasError = errors.some(({ field }) => field === 'custom_level' || field === 'growth');
  return (
    <>
      <fieldset class="presets">
        <legend>{t('properties.form.levelLabel')}</legend>
        {PRESET_NAMES.map((name) => {
          const value = String(PRESETS[name]);
          return (
            <label class="preset">
              <input type="radio" name="level" value={value} checked={typed.level.trim() === value} />
              <strong>{t(`properties.form.presets.${name}`)}</strong>
              <span>{t(`properties.form.purposes.${name}`)}</span>
              <PresetCost level={PRESETS[name]} selected={challenge} />
            </label>
          );
        })}
        <label class="preset">
          <input type="radio" name="level" value={CUSTOM_LEVEL} checked={isCustom} />
          <strong>{t('properties.form.presets.custom')}</strong>
          <span>{t('properties.form.purposes.custom')}</span>
        </label>
      </fieldset>
      <Select
        {...fieldText('property', 'challenge')}
        value={typed.challenge}
        options={{
          blake2b: t('properties.form.challenges.blake2b'),
          argon2id: t('properties.form.challenges.argon2id'),
        }}
        errors={errors}
      />
      <LevelCostPanel level={level} challenge={challenge} />
      <details class="exact" open={isCustom || hasError}>
        <summary>{t('properties.form.exact')}</summary>
        <div>
          <Field
            name="custom_level"
            label={t('properties.form.customLevel')}
            help={t('properties.form.customLevelHelp', { min, max })}
            type="number"
            value={typed.custom_level}
            range={{ min, max }}
            isOptional
            autocomplete="off"
            errors={errors}
          />
          <Select
            {...fieldText('property', 'growth')}
            value={typed.growth}
            options={{
              constant: t('properties.form.growths.constant'),
              slow: t('properties.form.growths.slow'),
              medium: t('properties.form.growths.medium'),
              fast: t('properties.form.growths.fast'),
            }}
            errors={errors}
          />
          <CostTable level={level} challenge={challenge} />
        </div>
      </details>
    </>
  );
}

/** The times of a level with a name, by kind. A script shows those of the selected kind. */
function PresetCost({ level, selected }: { readonly level: number; readonly selected: Challenge }) {
  return (
    <>
      {(['blake2b', 'argon2id'] as const).map((challenge) => (
        <span class="soft" data-challenge={challenge} hidden={challenge !== selected}>
          {t('properties.form.presetCost', timesOf(level, challenge))}
        </span>
      ))}
    </>
  );
}

/** The validity, and repeated solutions. */
function SolutionFields({ typed, errors }: FieldsProps) {
  const { min, max } = REPEATS_FIELD;
  return (
    <>
      <ValidityField typed={typed} errors={errors} />
      <Checkbox
        name="accept_repeated"
        label={t('properties.form.acceptRepeated')}
        help={t('properties.form.acceptRepeatedHelp')}
        isChecked={typed.accept_repeated}
      />
      <Field
        {...fieldText('property', 'allowance')}
        help={t('properties.form.repeatsHelp', { min, max })}
        type="number"
        value={typed.max_replay_count}
        range={{ min, max }}
        autocomplete="off"
        errors={errors}
      />
    </>
  );
}

/** A number with its unit. */
function ValidityField({ typed, errors }: FieldsProps) {
  const error = errors.find(({ field }) => field === 'validity');
  const described = error === undefined ? 'validity-help' : 'validity-help validity-error';
  return (
    <div class="field">
      <label for="validity">{t('properties.form.validity')}</label>
      <p class="help" id="validity-help">
        {t('properties.form.validityHelp')}
      </p>
      {error !== undefined && (
        <p class="error" id="validity-error">
          {error.text}
        </p>
      )}
      <div class="with-unit">
        <input
          id="validity"
          name="validity"
          type="text"
          inputmode="numeric"
          value={typed.validity}
          required
          autocomplete="off"
          aria-invalid={error === undefined ? undefined : 'true'}
          aria-describedby={described}
        />
        <select id="validity_unit" name="validity_unit" aria-label={t('properties.form.validityUnit')}>
          {(Object.keys(VALIDITY_UNITS) as ValidityUnit[]).map((unit) => (
            <option value={unit} selected={unit === typed.validity_unit}>
              {t(`properties.form.units.${unit}`)}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

const LEVEL_COST_PATH = '/portal/cost';

/** What a level costs, in the form. A script replaces it when the level or the kind changes. */
function LevelCostPanel(props: { readonly level: number; readonly challenge: Challenge }) {
  return (
    <div id="level-cost" data-path={LEVEL_COST_PATH}>
      <LevelCost level={props.level} challenge={props.challenge} />
    </div>
  );
}

/** `GET /portal/cost?level=&challenge=`: the contents of the panel, for the script. */
export function getLevelCost(visit: SignedInVisit) {
  const level = SETTING_FIELDS.level.parse(numberIn(visit.query.get('level') ?? ''));
  const challenge = SETTING_FIELDS.challenge.parse(visit.query.get('challenge') ?? '');
  if (!level.ok || !challenge.ok)
    return new Response('The level or the challenge is invalid.', { status: 400 });
  return fragment(visit, <LevelCost level={level.value} challenge={challenge.value} />);
}
