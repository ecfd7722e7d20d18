import type { Problem } from '../../../model/problems.ts';
import type { FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { UserName } from '../components/userName.tsx';
import type { MemberVisit, PortalDeps } from '../kit/handler.ts';
import { accessLost, redirectWithNotice } from '../kit/responses.tsx';
import { organizationPage } from './organizationPage.tsx';

/** Explains what a transfer to the member changes. */
export function showTransfer(visit: MemberVisit, _: PortalDeps, errors: FieldErrors = []) {
  const content = (
    <Form
      visit={visit}
      action={`${visit.memberPath}/transfer`}
      button="Transfer organization"
      tone="danger"
      cancelPath={`${visit.organizationPath}/members`}
    >
      <p>
        Transfer “<bdi>{visit.organization.name}</bdi>” to <UserName user={visit.member} />?
      </p>
      <ul>
        <li>Only the new owner can rename, delete, or transfer it, and invite or remove members.</li>
        <li>You remain a member and can manage its properties. You cannot undo the transfer yourself.</li>
        <li>The organization and its properties count toward the new owner’s plan instead of yours.</li>
        <li>Properties and API keys do not change.</li>
      </ul>
    </Form>
  );
  return organizationPage(visit, '/members', { title: 'Transfer this organization?', content, errors });
}

export async function transferOrganization(visit: MemberVisit, deps: PortalDeps) {
  const { organization, member, organizationPath } = visit;
  const transferred = await deps.members.transfer(visit.actor, organization.id, member.accountId);
  if (!transferred.ok) {
    const text = SENTENCES[transferred.problem];
    return text === undefined
      ? accessLost(visit, transferred.problem)
      : showTransfer(visit, deps, [{ text }]);
  }
  const notice = `${member.name} is now the owner of this organization.`;
  return redirectWithNotice(deps, `${organizationPath}/members`, notice);
}

/** Problems of the new owner. Unlike the sentences of the API, these sentences address the current owner. */
const SENTENCES: Readonly<Partial<Record<Problem, string>>> = {
  'account-disabled': 'This user is disabled and cannot become the owner.',
  'organization-name-taken':
    'This user already owns an organization with this name; rename one of them first.',
  'organizations-limit': 'The plan of this user does not allow more organizations.',
  'properties-limit':
    'The plan of this user does not allow the properties of this organization in addition to their own.',
};
