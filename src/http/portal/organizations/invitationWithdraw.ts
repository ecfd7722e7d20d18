import type { InvitationVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';

/** The link of the invitation stops working. */
export async function withdrawInvitation(visit: InvitationVisit, deps: PortalDeps) {
  const withdrawn = await deps.invitations.revoke(visit.actor, visit.organization.id, visit.invitationId);
  if (!withdrawn.ok) return accessLost(visit, withdrawn.problem);
  const notice = `The invitation for ${withdrawn.value.email} was withdrawn.`;
  return redirectWithNotice(deps, `${visit.organizationPath}/members`, notice);
}
