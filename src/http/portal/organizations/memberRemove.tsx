import { ActionForm } from '../components/form.tsx';
import { UserName } from '../components/userName.tsx';
import type { MemberVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

export function showMemberRemoval(visit: MemberVisit) {
  const content = (
    <ActionForm
      visit={visit}
      action={`${visit.memberPath}/remove`}
      button="Remove member"
      cancelPath={`${visit.organizationPath}/members`}
    >
      <UserName user={visit.member} /> and their API keys lose access to this organization. Open invitations
      that they created are withdrawn. Their account remains.
    </ActionForm>
  );
  return organizationPage(visit, '/members', { title: 'Remove this member?', content });
}

export async function removeMember(visit: MemberVisit, deps: PortalDeps) {
  const { organization, member, organizationPath } = visit;
  const removed = await deps.members.remove(visit.actor, organization.id, member.accountId);
  if (!removed.ok) return accessLost(visit, removed.problem);
  return redirectWithNotice(deps, `${organizationPath}/members`, `${member.name} is no longer a member.`);
}
