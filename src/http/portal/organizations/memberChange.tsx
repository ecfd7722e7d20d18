import type { Problem } from '../../../model/problems.ts';
import type { Children } from '../../jsx/elements.ts';
import type { FieldError } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { OrganizationNavigation } from '../components/navigation.tsx';
import { UserName } from '../components/userName.tsx';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { accessLost, page, redirectWithNotice } from '../kit/responses.tsx';
import type { MemberVisit } from '../kit/visit.ts';

/** `GET /portal/orgs/:org/members/:member/remove`. */
export function showRemoveMember(visit: MemberVisit): Response {
  const text = (
    <p>
      <UserName user={visit.member} /> and their API keys lose access to this organization. Open invitations
      that they created are withdrawn. Their account remains.
    </p>
  );
  return confirmPage(visit, {
    title: 'Remove this member?',
    action: 'remove',
    button: 'Remove member',
    text,
  });
}

/** `POST /portal/orgs/:org/members/:member/remove`. */
export async function removeMember(visit: MemberVisit, deps: PortalDeps): Promise<Response> {
  const removed = await deps.members.remove(visit.actor, visit.organization.id, visit.member.accountId);
  if (!removed.ok) return accessLost(visit, removed.problem);
  return redirectWithNotice(
    deps,
    `${visit.organizationPath}/members`,
    `${visit.member.name} is no longer a member.`,
  );
}

/** `GET /portal/orgs/:org/members/:member/transfer`: explains the transfer. */
export function showTransfer(visit: MemberVisit): Response {
  return transferPage(visit);
}

/** `POST /portal/orgs/:org/members/:member/transfer`. */
export async function transferOrganization(visit: MemberVisit, deps: PortalDeps): Promise<Response> {
  const { organization, member, organizationPath } = visit;
  const transferred = await deps.members.transfer(visit.actor, organization.id, member.accountId);
  if (!transferred.ok) {
    const text = TRANSFER_ERRORS[transferred.problem];
    return text === undefined ? accessLost(visit, transferred.problem) : transferPage(visit, [{ text }]);
  }
  return redirectWithNotice(
    deps,
    `${organizationPath}/members`,
    `${member.name} is now the owner of this organization.`,
  );
}

/** The problems of the new owner. The sentences of the API address the new owner, and these the current one. */
const TRANSFER_ERRORS: Readonly<Partial<Record<Problem, string>>> = {
  'account-disabled': 'This user is disabled and cannot become the owner.',
  'organization-name-taken':
    'This user already owns an organization with this name; rename one of them first.',
  'organizations-limit': 'The plan of this user does not allow more organizations.',
  'properties-limit':
    'The plan of this user does not allow the properties of this organization in addition to their own.',
};

function transferPage(visit: MemberVisit, errors: readonly FieldError[] = []): Response {
  const text = (
    <>
      <p>
        Transfer “<bdi>{visit.organization.name}</bdi>” to <UserName user={visit.member} />?
      </p>
      <ul>
        <li>Only the new owner can rename, delete, or transfer it, and invite or remove members.</li>
        <li>You remain a member and can manage its properties. You cannot undo the transfer yourself.</li>
        <li>The organization and its properties count toward the new owner’s plan instead of yours.</li>
        <li>Properties and API keys do not change.</li>
      </ul>
    </>
  );
  return confirmPage(visit, {
    title: 'Transfer this organization?',
    action: 'transfer',
    button: 'Transfer organization',
    text,
    errors,
  });
}

type Confirmation = {
  readonly title: string;
  readonly action: 'remove' | 'transfer';
  readonly button: string;
  /** The consequences. */
  readonly text: Children;
  readonly errors?: readonly FieldError[];
};

function confirmPage(visit: MemberVisit, confirmation: Confirmation): Response {
  const { title, action, button, text, errors = [] } = confirmation;
  const content = (
    <>
      <OrganizationNavigation visit={visit} current="/members" />
      <Form
        visit={visit}
        action={`${visit.memberPath}/${action}`}
        button={button}
        tone="danger"
        cancelPath={`${visit.organizationPath}/members`}
      >
        {text}
      </Form>
    </>
  );
  return page(visit, { title, content, errors });
}
