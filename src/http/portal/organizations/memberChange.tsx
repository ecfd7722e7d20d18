import { type Html, html } from '../../../lib/html.ts';
import type { Problem } from '../../../model/problems.ts';
import { form, type Mistake, submit } from '../components/parts.tsx';
import { actOrCancel, personName } from '../components/rows.tsx';
import { page } from '../kit/layout.tsx';
import { organizationTabs } from '../kit/place.tsx';
import { accessLost, redirectSaying } from '../kit/responses.tsx';
import type { MemberVisit, PortalDeps } from '../kit/route.ts';

/** `GET /portal/orgs/:org/members/:member/remove`. */
export function showRemoveMember(visit: MemberVisit): Response {
  const text = html`<p>${personName(visit.member)} does not reach this organization any more then, nor does any of their API
keys. What they invited others to is withdrawn. They keep their account.</p>`;
  return confirmPage(visit, { title: 'Remove this member?', act: 'remove', button: 'Remove', text });
}

/** `POST /portal/orgs/:org/members/:member/remove`. */
export async function removeMember(visit: MemberVisit, deps: PortalDeps): Promise<Response> {
  const caller = visit.actor;
  const { id: organizationId } = visit.organization;
  const removed = await deps.members.remove(caller, organizationId, visit.member.accountId);
  if (!removed.ok) return accessLost(visit, removed.problem);
  const { name, email: subject } = removed.value;
  await deps.audit.recordAct(caller, { action: 'member-removed', organizationId, subject });
  return redirectSaying(deps, `${visit.organizationPath}/members`, `${name} is not a member any more.`);
}

/** `GET /portal/orgs/:org/members/:member/transfer`: what changes with another owner. */
export function showTransfer(visit: MemberVisit): Response {
  return transferPage(visit);
}

/** `POST /portal/orgs/:org/members/:member/transfer`. */
export async function transferOrganization(visit: MemberVisit, deps: PortalDeps): Promise<Response> {
  const { organization, member, organizationPath } = visit;
  const caller = visit.actor;
  const given = await deps.members.transfer(caller, organization.id, member.accountId);
  if (!given.ok) {
    const why = WHY_NOT_OWNER[given.problem];
    return why === undefined ? accessLost(visit, given.problem) : transferPage(visit, [{ text: why }]);
  }
  const subject = `${organization.name} to ${member.email}`;
  const act = { action: 'organization-transferred', organizationId: organization.id, subject } as const;
  await deps.audit.recordAct(caller, act);
  return redirectSaying(deps, `${organizationPath}/members`, `${member.name} owns this organization now.`);
}

/** The API's sentences speak to who would be the owner; here somebody else reads them. */
const WHY_NOT_OWNER: Readonly<Partial<Record<Problem, string>>> = {
  'account-disabled': 'This person is disabled, and cannot own anything now.',
  'organization-name-taken':
    'This person owns an organization of this name already; change one of the names first.',
  'organizations-limit': 'The plan of this person allows no more organizations.',
  'properties-limit': 'The plan of this person does not allow so many more sites.',
};

function transferPage(visit: MemberVisit, mistakes: readonly Mistake[] = []): Response {
  const text = html`<p>Give “<bdi>${visit.organization.name}</bdi>” to ${personName(visit.member)}?</p>
<ul>
<li>They alone can then change its name, invite and remove people, delete it, and give it away again.</li>
<li>You stay as a member, and can manage its sites as before. You cannot take it back by yourself.</li>
<li>It and its sites count for their plan, not for yours.</li>
<li>Sites and API keys go on as they are.</li>
</ul>`;
  return confirmPage(visit, {
    title: 'Another owner?',
    act: 'transfer',
    button: 'Make owner',
    text,
    mistakes,
  });
}

type Confirmation = {
  readonly title: string;
  readonly act: 'remove' | 'transfer';
  readonly button: string;
  /** What happens then. */
  readonly text: Html;
  readonly mistakes?: readonly Mistake[];
};

function confirmPage(visit: MemberVisit, confirmation: Confirmation): Response {
  const { title, act, button, text, mistakes = [] } = confirmation;
  const content = html`${text}
${actOrCancel(submit(button, 'danger'), `${visit.organizationPath}/members`)}`;
  const action = `${visit.memberPath}/${act}`;
  const body = html`${organizationTabs(visit, '/members')}${form({ visit, action, content })}`;
  return page(visit, { title, content: body, mistakes });
}
