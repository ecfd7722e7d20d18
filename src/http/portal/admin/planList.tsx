import { html } from '../../../lib/html.ts';
import { PLAN_FIELDS, type Plan } from '../../../model/plan.ts';
import { card, field, form, type Mistake, submit, table } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { SYSTEM_PATH, systemTabs } from './systemTabs.tsx';

const PATH = `${SYSTEM_PATH}/plans`;

type Typed = { readonly name: string; readonly organizations: string; readonly properties: string };

/** `GET /portal/system/plans`. */
export function showPlans(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  return plansPage(visit, deps, { name: '', organizations: '', properties: '' });
}

/** `POST /portal/system/plans`: makes a plan, or gives it other quotas. */
export async function setPlan(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const typed: Typed = {
    name: fieldOf(visit.form, 'name').trim(),
    organizations: fieldOf(visit.form, 'organizations'),
    properties: fieldOf(visit.form, 'properties'),
  };
  const [organizations, properties] = [quotaOf(typed.organizations), quotaOf(typed.properties)];
  if (organizations === undefined || properties === undefined) {
    const mistakes = [
      ...(organizations === undefined ? [mistakeOf('quota-malformed', 'organizations')] : []),
      ...(properties === undefined ? [mistakeOf('quota-malformed', 'properties')] : []),
    ];
    return plansPage(visit, deps, typed, mistakes);
  }
  const set = await deps.plans.set({ name: typed.name, organizations, properties });
  if (!set.ok) return plansPage(visit, deps, typed, [mistakeOf(set.problem, 'name')]);
  const subject = `${typed.name}: ${organizations} organizations, ${properties} properties`;
  await deps.audit.recordAct(visit.actor, { action: 'plan-set', organizationId: undefined, subject });
  return redirectSaying(deps, PATH, `The plan ${typed.name} was set.`);
}

/** @returns undefined for anything but a whole number from 0 to 1000000000 */
function quotaOf(text: string): number | undefined {
  const quota = PLAN_FIELDS.properties.parse(/^\s*\d{1,10}\s*$/.test(text) ? Number(text) : undefined);
  return quota.ok ? quota.value : undefined;
}

async function plansPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  typed: Typed,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const plans = await deps.plans.list();
  const list = table({
    caption: 'How much a user may have; every user has one of these',
    head: ['Plan', 'Organizations', 'Sites in all of them'],
    rows: plans.map(({ name, organizations, properties }: Plan) => [
      html`<span class="long">${name}</span>`,
      String(organizations),
      String(properties),
    ]),
    empty: 'There are no plans.',
  });
  const name = {
    name: 'name',
    label: 'Name',
    value: typed.name,
    help: 'One of the above to change it, or another one to make it: lower-case letters, digits and dashes.',
  };
  const number = { inputmode: 'numeric', isLiteral: true, autocomplete: 'off' } as const;
  const { organizations, properties } = typed;
  const content = html`${field({ ...name, isLiteral: true, autocomplete: 'off' }, mistakes)}${field(
    { ...number, name: 'organizations', label: 'Organizations', value: organizations },
    mistakes,
  )}${field({ ...number, name: 'properties', label: 'Sites in all of them', value: properties }, mistakes)}<p>It holds at
once. What is there already stays, also where it is more.</p>
${submit('Set the plan')}`;
  const body = html`${systemTabs('/plans')}${card('Plans', list)}${card('Set a plan', form({ visit, action: PATH, content }))}`;
  return page(visit, { title: 'System', content: body, mistakes });
}
