import { t } from '../i18n/t.ts';
import type { InvitationVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';

/** The link of the invitation stops working. */
export async function withdrawInvitation(visit: InvitationVisit, deps: PortalDeps) {
  const withdrawn = await deps.invitations.revoke(visit.actor, visit.organization.id, visit.invitationId);
  if (!withdrawn.ok) return accessLost(visit, withdrawn.problem);
  const notice = t('organizations.invitations.withdrawn', { email: withdrawn.value.email });
  return redirectWithNotice(deps, `${visit.organizationPath}/members`, notice);
}
