import { PLAN_FIELDS } from '../../../model/plan.ts';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Table } from '../components/table.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf } from '../kit/messages.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';
import { SYSTEM_PATH, SystemTabs } from './systemTabs.tsx';

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
  return redirectWithNotice(deps, PATH, `The plan ${typed.name} was saved.`);
}

/** @returns undefined if the text is not a whole number from 0 to 1000000000 */
function quotaOf(text: string): number | undefined {
  const quota = PLAN_FIELDS.properties.parse(/^\s*\d{1,10}\s*$/.test(text) ? Number(text) : undefined);
  return quota.ok ? quota.value : undefined;
}

export async function showPlans(
  visit: SignedInVisit,
  deps: PortalDeps,
  typed = BLANK,
  errors: FieldErrors = [],
) {
  const plans = await deps.plans.list(visit.actor);
  const content = (
    <>
      <SystemTabs current="/plans" />
      <Card title="Plans">
        <Table
          caption="Each user has one plan, which limits the number of organizations and properties"
          head={['Plan', 'Organizations', 'Properties in total']}
          rows={plans.map(({ name, organizations, properties }) => [
            <span class="long">{name}</span>,
            String(organizations),
            String(properties),
          ])}
          empty="There are no plans."
        />
      </Card>
      <Card title="Create or change a plan">
        <PlanForm visit={visit} typed={typed} errors={errors} />
      </Card>
    </>
  );
  return page(visit, { title: 'System', content, errors });
}

function PlanForm(props: {
  readonly visit: SignedInVisit;
  readonly typed: Typed;
  readonly errors: FieldErrors;
}) {
  const { visit, typed, errors } = props;
  const quota = { inputmode: 'numeric', isLiteral: true, autocomplete: 'off', errors } as const;
  return (
    <Form visit={visit} action={PATH} button="Save plan">
      <Field
        name="name"
        label="Name"
        value={typed.name}
        help="To change a plan, enter its name. For a new plan, use lowercase letters, digits, and hyphens."
        isLiteral
        autocomplete="off"
        errors={errors}
      />
      <Field {...quota} name="organizations" label="Organizations" value={typed.organizations} />
      <Field {...quota} name="properties" label="Properties in total" value={typed.properties} />
      <p>The limits apply immediately. Users who already own more keep their organizations and properties.</p>
    </Form>
  );
}
