import { html } from '../../../lib/html.ts';
import { form, submit } from '../components/parts.tsx';
import { actOrCancel } from '../components/rows.tsx';
import { page } from '../kit/layout.tsx';
import { organizationTabs } from '../kit/place.tsx';
import { notFound, redirectSaying, refused } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/route.ts';

/** `GET /portal/orgs/:org/leave`. */
export function showLeave(visit: OrganizationVisit): Response {
  if (visit.isOwner) return ownerStays(visit);
  const content = html`<p>You reach “<bdi>${visit.organization.name}</bdi>” and its sites no more then, nor does any of your API
keys. What its sites do goes on. To come back you need another invitation.</p>
${actOrCancel(submit('Leave', 'danger'), `${visit.organizationPath}/settings`)}`;
  const body = html`${organizationTabs(visit, '/settings')}${form({ visit, action: `${visit.organizationPath}/leave`, content })}`;
  return page(visit, { title: 'Leave this organization?', content: body });
}

/** `POST /portal/orgs/:org/leave`. */
export async function leaveOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const caller = visit.actor;
  const left = await deps.members.leave(caller, visit.organization.id);
  if (!left.ok) return left.problem === 'member-is-owner' ? ownerStays(visit) : notFound(visit);
  const { id, name } = left.value;
  const subject = visit.who.account.email;
  await deps.audit.recordAct(caller, { action: 'member-left', organizationId: id, subject });
  return redirectSaying(deps, '/portal', `You have left “${name}”.`);
}

function ownerStays(visit: OrganizationVisit): Response {
  const reason = 'An owner cannot leave. Make another member the owner first, or delete the organization.';
  return refused(visit, 409, 'Not possible', reason);
}
