import { type Html, html } from '../../../lib/html.ts';
import type { Member } from '../../../model/organization.ts';
import type { Problem } from '../../../model/problems.ts';
import { form, type Mistake, submit } from '../components/parts.tsx';
import { actOrCancel, personName } from '../components/rows.tsx';
import { page } from '../kit/layout.tsx';
import { ownedAt, refusal } from '../kit/owned.ts';
import { type OrganizationPlace, organizationTabs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

/** A member of an organization that is one's own; not its owner. */
type MemberPlace = OrganizationPlace & { readonly member: Member; readonly memberPath: string };

/** `GET /portal/orgs/:org/members/:member/remove`. */
export async function showRemoveMember(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await memberAt(visit, deps);
  if (place instanceof Response) return place;
  const text = html`<p>${personName(place.member)} does not reach this organization any more then, nor does any of their API
keys. What they invited others to is withdrawn. They keep their account.</p>`;
  return confirmPage(visit, place, { title: 'Remove this member?', act: 'remove', button: 'Remove', text });
}

/** `POST /portal/orgs/:org/members/:member/remove`. */
export async function removeMember(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await memberAt(visit, deps);
  if (place instanceof Response) return place;
  const caller = visit.actor;
  const { id: organizationId } = place.organization;
  const removed = await deps.members.remove(caller, organizationId, place.member.accountId);
  if (!removed.ok) return refusal(visit, removed.problem);
  const { name, email: subject } = removed.value;
  await deps.audit.recordAct(caller, { action: 'member-removed', organizationId, subject });
  return redirectSaying(deps, `${place.path}/members`, `${name} is not a member any more.`);
}

/** `GET /portal/orgs/:org/members/:member/transfer`: what changes with another owner. */
export async function showTransfer(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await memberAt(visit, deps);
  return place instanceof Response ? place : transferPage(visit, place);
}

/** `POST /portal/orgs/:org/members/:member/transfer`. */
export async function transferOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await memberAt(visit, deps);
  if (place instanceof Response) return place;
  const { organization, member, path } = place;
  const caller = visit.actor;
  const given = await deps.members.transfer(caller, organization.id, member.accountId);
  if (!given.ok) {
    const why = WHY_NOT_OWNER[given.problem];
    return why === undefined ? refusal(visit, given.problem) : transferPage(visit, place, [{ text: why }]);
  }
  const subject = `${organization.name} to ${member.email}`;
  const act = { action: 'organization-transferred', organizationId: organization.id, subject } as const;
  await deps.audit.recordAct(caller, act);
  return redirectSaying(deps, `${path}/members`, `${member.name} owns this organization now.`);
}

/** The API's sentences speak to who would be the owner; here somebody else reads them. */
const WHY_NOT_OWNER: Readonly<Partial<Record<Problem, string>>> = {
  'account-disabled': 'This person is disabled, and cannot own anything now.',
  'organization-name-taken':
    'This person owns an organization of this name already; change one of the names first.',
  'organizations-limit': 'The plan of this person allows no more organizations.',
  'properties-limit': 'The plan of this person does not allow so many more sites.',
};

async function memberAt(visit: SignedInVisit, deps: PortalDeps): Promise<MemberPlace | Response> {
  const place = await ownedAt(visit, deps);
  if (place instanceof Response) return place;
  const sealed = visit.params.member ?? '';
  const accountId = deps.ids.open('account', sealed);
  const members = await deps.members.list(visit.actor, place.organization.id);
  const others = members.ok ? members.value.filter(({ role }) => role === 'member') : [];
  const member = others.find((one) => one.accountId === accountId);
  const memberPath = `${place.path}/members/${sealed}`;
  return member === undefined ? notFound(visit) : { ...place, member, memberPath };
}

function transferPage(visit: SignedInVisit, place: MemberPlace, mistakes: readonly Mistake[] = []): Response {
  const text = html`<p>Give “<bdi>${place.organization.name}</bdi>” to ${personName(place.member)}?</p>
<ul>
<li>They alone can then change its name, invite and remove people, delete it, and give it away again.</li>
<li>You stay as a member, and can manage its sites as before. You cannot take it back by yourself.</li>
<li>It and its sites count for their plan, not for yours.</li>
<li>Sites and API keys go on as they are.</li>
</ul>`;
  return confirmPage(visit, place, {
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

function confirmPage(visit: SignedInVisit, place: MemberPlace, confirmation: Confirmation): Response {
  const { title, act, button, text, mistakes = [] } = confirmation;
  const content = html`${text}
${actOrCancel(submit(button, 'danger'), `${place.path}/members`)}`;
  const action = `${place.memberPath}/${act}`;
  const body = html`${organizationTabs(place, '/members')}${form({ visit, action, content })}`;
  return page(visit, { title, content: body, status: mistakes.length === 0 ? 200 : 422, mistakes });
}
