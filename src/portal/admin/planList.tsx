import { PLAN_FIELDS, type Plan } from '../../model/plan.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { grouped } from '../components/numbers.ts';
import { Table } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import { systemPage } from '../kit/frames.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { SYSTEM_PATH, withQuery } from '../kit/paths.ts';
import { redirectWithNotice } from '../kit/responses.tsx';

const PATH = `${SYSTEM_PATH}/plans`;

const BLANK = { name: '', organizations: '', properties: '' };

type Typed = typeof BLANK;

/** Creates a plan, or changes its quotas. */
export async function setPlan(visit: SignedInVisit, deps: PortalDeps) {
  const typed: Typed = {
    name: fieldOf(visit.form, 'name').trim(),
    organizations: fieldOf(visit.form, 'organizations'),
    properties: fieldOf(visit.form, 'properties'),
  };
  const [organizations, properties] = [quotaOf(typed.organizations), quotaOf(typed.properties)];
  if (organizations === undefined || properties === undefined) {
    const errors = [
      ...(organizations === undefined ? [errorOf('quota-malformed', 'organizations')] : []),
      ...(properties === undefined ? [errorOf('quota-malformed', 'properties')] : []),
    ];
    return showPlans(visit, deps, typed, errors);
  }
  const set = await deps.plans.set(visit.actor, { name: typed.name, organizations, properties });
  if (!set.ok) return showPlans(visit, deps, typed, [errorOf(set.problem, 'name')]);
  return redirectWithNotice(deps, PATH, t('admin.plans.saved', { name: typed.name }));
}

/** @returns undefined if the text is not a whole number from 0 to 1000000000 */
function quotaOf(text: string): number | undefined {
  const quota = PLAN_FIELDS.properties.parse(/^\s*\d{1,10}\s*$/.test(text) ? Number(text) : undefined);
  return quota.ok ? quota.value : undefined;
}

export async function showPlans(
  visit: SignedInVisit,
  deps: PortalDeps,
  typed?: Typed,
  errors: FieldErrors = [],
) {
  const plans = await deps.plans.list(visit.actor);
  const chosen = plans.find(({ name }) => name === fieldOf(visit.query, 'name'));
  const content = (
    <>
      <Card title={t('admin.plans.title')}>
        <Table
          caption={t('admin.plans.caption')}
          head={[
            t('admin.plans.plan'),
            t('admin.plans.organizations'),
            t('admin.plans.properties'),
            t('admin.plans.action'),
          ]}
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
      <Card title={t('admin.plans.form')}>
        <PlanForm visit={visit} typed={typed ?? typedOf(chosen)} errors={errors} />
      </Card>
    </>
  );
  return systemPage(visit, '/plans', { title: t('admin.plans.title'), content, errors });
}

/** The values of a plan in the form. */
function typedOf(plan: Plan | undefined): Typed {
  if (plan === undefined) return BLANK;
  const { name, organizations, properties } = plan;
  return { name, organizations: String(organizations), properties: String(properties) };
}

function PlanForm(props: {
  readonly visit: SignedInVisit;
  readonly typed: Typed;
  readonly errors: FieldErrors;
}) {
  const { visit, typed, errors } = props;
  const quota = { inputmode: 'numeric', isLiteral: true, autocomplete: 'off', errors } as const;
  return (
    <Form visit={visit} action={PATH} button={t('admin.plans.save')}>
      <Field
        name="name"
        label={t('admin.plans.name')}
        value={typed.name}
        help={t('admin.plans.nameHelp')}
        isLiteral
        autocomplete="off"
        errors={errors}
      />
      <Field
        {...quota}
        name="organizations"
        label={t('admin.plans.organizations')}
        value={typed.organizations}
      />
      <Field {...quota} name="properties" label={t('admin.plans.properties')} value={typed.properties} />
      <p>{t('admin.plans.effect')}</p>
    </Form>
  );
}
