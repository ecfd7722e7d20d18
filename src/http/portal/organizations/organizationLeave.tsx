import { Form } from '../components/form.tsx';
import { OrganizationNavigation } from '../components/navigation.tsx';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { errorPage, notFound, page, redirectWithNotice } from '../kit/responses.tsx';
import type { OrganizationVisit } from '../kit/visit.ts';

/** `GET /portal/orgs/:org/leave`. */
export function showLeave(visit: OrganizationVisit): Response {
  if (visit.isOwner) return ownerPage(visit);
  const content = (
    <>
      <OrganizationNavigation visit={visit} current="/settings" />
      <Form
        visit={visit}
        action={`${visit.organizationPath}/leave`}
        button="Leave organization"
        tone="danger"
        cancelPath={`${visit.organizationPath}/settings`}
      >
        <p>
          You and your API keys lose access to “<bdi>{visit.organization.name}</bdi>” and its properties. The
          properties continue to work. To come back, you need another invitation.
        </p>
      </Form>
    </>
  );
  return page(visit, { title: 'Leave this organization?', content });
}

/** `POST /portal/orgs/:org/leave`. */
export async function leaveOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const left = await deps.members.leave(visit.actor, visit.organization.id);
  if (!left.ok) return left.problem === 'member-is-owner' ? ownerPage(visit) : notFound(visit);
  return redirectWithNotice(deps, '/portal', `You have left “${visit.organization.name}”.`);
}

/** Owners cannot leave. */
function ownerPage(visit: OrganizationVisit): Response {
  const reason =
    'The owner of an organization cannot leave it. Make another member the owner first, or delete the organization.';
  return errorPage(visit, 409, 'Not possible', reason);
}
