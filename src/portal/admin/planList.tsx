import { PLAN_FIELDS, type Plan } from '../../model/plan.ts';
import { Field, type FieldErrors, type FormState, fieldsFor, formState } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Card, Table } from '../components/sections.tsx';
import { grouped } from '../components/values.tsx';
import { t, texts } from '../i18n/t.tsx';
import { errorOf, fieldOf, fieldsOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { redirectWithNotice, systemPage } from '../kit/pages.tsx';
import { SYSTEM_PATH, withQuery } from '../kit/paths.ts';

const PATH = `${SYSTEM_PATH}/plans`;

const BLANK = { name: '', organizations: '', properties: '' };

type Typed = typeof BLANK;

/** Creates a plan, or changes its quotas. */
export async function setPlan(visit: SignedInVisit, deps: PortalDeps) {
  const sent = fieldsOf(visit.form, ['name', 'organizations', 'properties']);
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

export async function showPlans(visit: SignedInVisit, deps: PortalDeps, rejected?: FormState<Typed>) {
  const plans = await deps.plans.list(visit.actor);
  const chosen = plans.find(({ name }) => name === fieldOf(visit.query, 'name'));
  const form = rejected ?? formState(typedOf(chosen));
  const content = (
    <>
      <Card title={t('admin.plans.title')}>
        <Table
          caption={t('admin.plans.caption')}
          head={texts('admin.plans', 'plan', 'organizations', 'properties', 'action')}
          numeric={[1, 2]}
          rows={plans.map(({ name, organizations, properties }) => [
            <bdi class="long">{name}</bdi>,
            grouped(organizations),
            grouped(properties),
            <a
              href={`${withQuery(PATH, { name })}#organizations`}
              aria-label={t('admin.plans.changeNamed', { name })}
            >
              {t('admin.plans.change')}
            </a>,
          ])}
          empty={t('admin.plans.none')}
        />
      </Card>
      <Card title={t('admin.plans.form')}>{planForm(visit, form)}</Card>
    </>
  );
  return systemPage(visit, '/plans', { title: t('admin.plans.title'), content, errors: form.errors });
}

/** The values of a plan in the form. */
function typedOf(plan: Plan | undefined): Typed {
  if (plan === undefined) return BLANK;
  const { name, organizations, properties } = plan;
  return { name, organizations: String(organizations), properties: String(properties) };
}

function planForm(visit: SignedInVisit, form: FormState<Typed>) {
  const field = fieldsFor('admin.plans', form);
  const quota = { inputmode: 'numeric', isLiteral: true, autocomplete: 'off' } as const;
  return (
    <Form visit={visit} action={PATH} button={t('admin.plans.save')}>
      <Field {...field('name')} isLiteral autocomplete="off" />
      <Field {...field('organizations')} {...quota} />
      <Field {...field('properties')} {...quota} />
      <p>{t('admin.plans.effect')}</p>
    </Form>
  );
}
