import { ActionForm } from '../components/form.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { errorPage, notFound, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

export function showLeave(visit: OrganizationVisit) {
  if (visit.isOwner) return ownerPage(visit);
  const content = (
    <ActionForm
      visit={visit}
      action={`${visit.organizationPath}/leave`}
      button="Leave organization"
      cancelPath={`${visit.organizationPath}/settings`}
    >
      You and your API keys lose access to “<bdi>{visit.organization.name}</bdi>” and its properties. The
      properties continue to work. To rejoin it, you need a new invitation.
    </ActionForm>
  );
  return organizationPage(visit, '/settings', { title: 'Leave this organization?', content });
}

export async function leaveOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const left = await deps.members.leave(visit.actor, visit.organization.id);
  if (!left.ok) return left.problem === 'member-is-owner' ? ownerPage(visit) : notFound(visit);
  return redirectWithNotice(deps, '/portal', `You have left “${visit.organization.name}”.`);
}

/** Owners cannot leave. */
function ownerPage(visit: OrganizationVisit) {
  const reason =
    'The owner of an organization cannot leave it. Make another member the owner first, or delete the organization.';
  return errorPage(visit, 409, 'Not possible', reason);
}
