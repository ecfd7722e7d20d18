import { ActionForm } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import type { MemberVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

/** Explains what the removal changes, for browsers that open the address of the form. */
export function showMemberRemoval(visit: MemberVisit) {
  const { name } = visit.member;
  const content = (
    <ActionForm
      visit={visit}
      action={`${visit.memberPath}/remove`}
      button={t('organizations.members.remove')}
      cancelPath={`${visit.organizationPath}/members`}
    >
      {t('organizations.members.removeText', { name })}
    </ActionForm>
  );
  return organizationPage(visit, '/members', {
    title: t('organizations.members.removeTitle', { name }),
    content,
  });
}

export async function removeMember(visit: MemberVisit, deps: PortalDeps) {
  const { organization, member, organizationPath } = visit;
  const removed = await deps.members.remove(visit.actor, organization.id, member.accountId);
  if (!removed.ok) return accessLost(visit, removed.problem);
  const notice = t('organizations.members.removed', { name: member.name });
  return redirectWithNotice(deps, `${organizationPath}/members`, notice);
}
