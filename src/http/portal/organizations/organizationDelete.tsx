import { html } from '../../../lib/html.ts';
import { confirmByName, form, type Mistake, submit } from '../components/parts.tsx';
import { actOrCancel } from '../components/rows.tsx';
import { hasTypedName } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { ownedAt, refusal } from '../kit/owned.ts';
import { type OrganizationPlace, organizationAt, organizationTabs } from '../kit/place.tsx';
import { notFound, redirectSaying, refused } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { countOf } from './organizationList.tsx';

/** `GET /portal/orgs/:org/delete`. */
export async function showDeleteOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await ownedAt(visit, deps);
  return place instanceof Response ? place : deletePage(visit, deps, place);
}

/** `POST /portal/orgs/:org/delete`. */
export async function deleteOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await ownedAt(visit, deps);
  if (place instanceof Response) return place;
  const { id, name } = place.organization;
  if (!hasTypedName(visit.form, name))
    return deletePage(visit, deps, place, [mistakeOf('name-not-typed', 'typed_name')]);
  const caller = visit.actor;
  const removed = await deps.organizations.remove(caller, id);
  if (!removed.ok) return refusal(visit, removed.problem);
  await deps.audit.recordAct(caller, { action: 'organization-deleted', organizationId: id, subject: name });
  return redirectSaying(deps, '/portal', `“${name}” was deleted, and its sites have stopped.`);
}

/** `GET /portal/orgs/:org/leave`. */
export async function showLeave(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  if (place.organization.ownerId === visit.who.account.id) return ownerStays(visit);
  const content = html`<p>You reach “<bdi>${place.organization.name}</bdi>” and its sites no more then, nor does any of your API
keys. What its sites do goes on. To come back you need another invitation.</p>
${actOrCancel(submit('Leave', 'danger'), `${place.path}/settings`)}`;
  const body = html`${organizationTabs(place, '/settings')}${form({ visit, action: `${place.path}/leave`, content })}`;
  return page(visit, { title: 'Leave this organization?', content: body });
}

/** `POST /portal/orgs/:org/leave`. */
export async function leaveOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const caller = visit.actor;
  const left = await deps.members.leave(caller, place.organization.id);
  if (!left.ok) return left.problem === 'member-is-owner' ? ownerStays(visit) : notFound(visit);
  const { id, name } = left.value;
  const subject = visit.who.account.email;
  await deps.audit.recordAct(caller, { action: 'member-left', organizationId: id, subject });
  return redirectSaying(deps, '/portal', `You have left “${name}”.`);
}

function ownerStays(visit: SignedInVisit): Response {
  const reason = 'An owner cannot leave. Make another member the owner first, or delete the organization.';
  return refused(visit, 409, 'Not possible', reason);
}

async function deletePage(
  visit: SignedInVisit,
  { organizations }: PortalDeps,
  place: OrganizationPlace,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const { id, name } = place.organization;
  const own = await organizations.overviewFor(visit.actor);
  const { properties = 0 } = own.find((one) => one.id === id) ?? {};
  const stop =
    properties === 0
      ? 'It has no sites.'
      : `${properties === 1 ? 'Its site stops' : `Its ${countOf(properties, 'site')} stop`} at once: widgets get no more puzzles, and no solution is accepted.`;
  const content = html`${organizationTabs(place, '/settings')}${confirmByName({
    visit,
    action: `${place.path}/delete`,
    name,
    warning: `${stop} Members lose it, and API keys that reach it alone stop. This cannot be undone.`,
    button: 'Delete this organization',
    back: `${place.path}/settings`,
    mistakes,
  })}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: 'Delete this organization?', content, status, mistakes });
}
