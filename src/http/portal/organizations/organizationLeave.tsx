import { ActionForm } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { errorPage, notFound, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

/** Explains what leaving changes, for browsers that open the address of the form. */
export function showLeave(visit: OrganizationVisit) {
  if (visit.isOwner) return ownerPage(visit);
  const { organization, organizationPath } = visit;
  const content = (
    <ActionForm
      visit={visit}
      action={`${organizationPath}/leave`}
      button={t('organizations.settings.leave')}
      cancelPath={`${organizationPath}/settings`}
    >
      {t('organizations.settings.leaveText')}
    </ActionForm>
  );
  const title = t('organizations.settings.leaveTitle', { name: organization.name });
  return organizationPage(visit, '/settings', { title, content });
}

export async function leaveOrganization(visit: OrganizationVisit, deps: PortalDeps) {
  const { id, name } = visit.organization;
  const left = await deps.members.leave(visit.actor, id);
  if (!left.ok) return left.problem === 'member-is-owner' ? ownerPage(visit) : notFound(visit);
  return redirectWithNotice(deps, '/portal', t('organizations.settings.left', { name }));
}

/** Owners cannot leave. */
function ownerPage(visit: OrganizationVisit) {
  const title = t('organizations.settings.cannotLeave');
  return errorPage(visit, 409, title, t('organizations.settings.ownerCannotLeave'));
}
