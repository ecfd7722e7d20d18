import { PLAN_FIELDS } from '../../model/plan.ts';
import {
  Field,
  type FieldErrors,
  type FormState,
  fieldsFor,
  formState,
  LITERAL,
} from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Card, Table } from '../components/sections.tsx';
import { t, texts } from '../i18n/t.tsx';
import { errorOf, fieldsOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { redirectWithNotice, systemPage } from '../kit/pages.tsx';
import { SYSTEM_PATH } from '../kit/paths.ts';

const PATH = `${SYSTEM_PATH}/plans`;

const QUOTAS = ['organizations', 'properties'] as const;

const BLANK = { name: '', organizations: '', properties: '' };

type Typed = typeof BLANK;

/** Creates a plan, or changes its quotas. */
export async function setPlan(visit: SignedInVisit, deps: PortalDeps) {
  const sent = fieldsOf(visit.form, ['name', ...QUOTAS]);
  const typed = { ...sent, name: sent.name.trim() };
  const rejected = (...errors: FieldErrors) => showPlans(visit, deps, formState(typed, errors));
  const [organizations, properties] = [quotaOf(typed.organizations), quotaOf(typed.properties)];
  if (organizations === undefined || properties === undefined) {
    const quotas = Object.entries({ organizations, properties }).filter(([, quota]) => quota === undefined);
    return rejected(...quotas.map(([name]) => errorOf('quota-malformed', name)));
  }
  const set = await deps.plans.set(visit.actor, { name: typed.name, organizations, properties });
  if (!set.ok) return rejected(errorOf(set.problem, 'name'));
  return redirectWithNotice(deps, PATH, t('admin.plans.saved', { name: typed.name }));
}

/** @returns undefined if the text is not a whole number from 0 to 1000000000 */
function quotaOf(text: string): number | undefined {
  const quota = PLAN_FIELDS.properties.parse(/^\s*\d{1,10}\s*$/.test(text) ? Number(text) : undefined);
  return quota.ok ? quota.value : undefined;
}

/** The plans, each with a form in its row, and the form for a new plan. */
export async function showPlans(visit: SignedInVisit, deps: PortalDeps, rejected = formState(BLANK)) {
  const plans = await deps.plans.list(visit.actor);
  const index = plans.findIndex(({ name }) => name === rejected.typed.name);
  // The fields of a row have the index of the row in their ids.
  const inRow = rejected.errors.map(({ field = '', text }) => ({ field: `${field}-${index}`, text }));
  const errors = index < 0 ? rejected.errors : inRow;
  const content = (
    <>
      <Card title={t('admin.plans.title')}>
        <Table
          caption={t('admin.plans.caption')}
          head={texts('admin.plans', 'plan', ...QUOTAS, 'action')}
          rows={plans.map((plan, row) => {
            const { name, organizations, properties } = plan;
            const stored = { name, organizations: String(organizations), properties: String(properties) };
            return planRow(visit, row === index ? rejected.typed : stored, row, errors);
          })}
          empty={t('admin.plans.none')}
        />
        <p class="help">{t('admin.plans.effect')}</p>
      </Card>
      <Card title={t('admin.plans.form')}>{planForm(visit, index < 0 ? rejected : formState(BLANK))}</Card>
    </>
  );
  return systemPage(visit, '/plans', { title: t('admin.plans.title'), content, errors });
}

const QUOTA = { inputmode: 'numeric', autocomplete: 'off', required: true, ...LITERAL } as const;

/** The cells of a plan. The inputs belong to the form in the last cell. */
function planRow(visit: SignedInVisit, typed: Typed, row: number, errors: FieldErrors) {
  const { name } = typed;
  const form = `plan-${row}`;
  return [
    <bdi class="long">{name}</bdi>,
    ...QUOTAS.map((quota) => {
      const id = `${quota}-${row}`;
      const isInvalid = errors.some(({ field }) => field === id);
      return (
        <input
          {...QUOTA}
          id={id}
          form={form}
          name={quota}
          value={typed[quota]}
          size={10}
          aria-label={t('admin.plans.quotaOf', { quota: t(`admin.plans.${quota}`), name })}
          aria-invalid={isInvalid ? 'true' : undefined}
        />
      );
    }),
    <Form visit={visit} action={PATH} id={form} class="plain">
      <input type="hidden" name="name" value={name} />
      <button type="submit" class="quiet small" aria-label={t('admin.plans.changeNamed', { name })}>
        {t('admin.plans.change')}
      </button>
    </Form>,
  ];
}

function planForm(visit: SignedInVisit, form: FormState<Typed>) {
  const field = fieldsFor('admin.plans', form);
  const quota = { inputmode: 'numeric', isLiteral: true, autocomplete: 'off' } as const;
  return (
    <Form visit={visit} action={PATH} button={t('admin.plans.save')}>
      <Field {...field('name')} isLiteral autocomplete="off" />
      <Field {...field('organizations')} {...quota} />
      <Field {...field('properties')} {...quota} />
    </Form>
  );
}
