import { type Html, html } from '../../../lib/html.ts';
import type { Invitation } from '../../../model/invitation.ts';
import type { Member } from '../../../model/organization.ts';
import { card, form, moment } from '../components/parts.tsx';
import { personRow, rowList } from '../components/rows.tsx';
import { page } from '../kit/layout.tsx';
import { isOwner, ownedAt, refusal } from '../kit/owned.ts';
import { type OrganizationPlace, organizationAt, organizationTabs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

/** `GET /portal/orgs/:org/members`: who belongs to it; for the owner also who is invited. */
export async function showMembers(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  const { id } = place.organization;
  const members = await deps.members.list(visit.actor, id);
  if (!members.ok) return notFound(visit);
  const authentication = card('People', memberList(visit, deps, place, members.value));
  const invited = isOwner(visit, place) ? await invitedCard(visit, deps, place) : html``;
  const content = html`${organizationTabs(place, '/members')}${authentication}${invited}`;
  return page(visit, { title: 'Members', content });
}

/** `POST /portal/orgs/:org/invitations/:invitation/withdraw`: its link does not work any more. */
export async function withdrawInvitation(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await ownedAt(visit, deps);
  if (place instanceof Response) return place;
  const organizationId = place.organization.id;
  const id = deps.ids.open('invitation', visit.params.invitation ?? '');
  if (id === undefined) return notFound(visit);
  const caller = visit.actor;
  const revoked = await deps.invitations.revoke(caller, organizationId, id);
  if (!revoked.ok) return refusal(visit, revoked.problem);
  const { email: subject } = revoked.value;
  await deps.audit.recordAct(caller, { action: 'invitation-withdrawn', organizationId, subject });
  return redirectSaying(deps, `${place.path}/members`, `The invitation of ${subject} was withdrawn.`);
}

function memberList(
  visit: SignedInVisit,
  { ids }: PortalDeps,
  place: OrganizationPlace,
  members: readonly Member[],
): Html {
  const isOwned = isOwner(visit, place);
  const actions = ({ accountId, name, role }: Member): readonly Html[] => {
    if (!isOwned || role === 'owner') return [];
    const path = `${place.path}/members/${ids.seal('account', accountId)}`;
    return [
      html`<a href="${path}/transfer" aria-label="Make owner: ${name}">Make owner</a>`,
      html`<a href="${path}/remove" aria-label="Remove: ${name}">Remove</a>`,
    ];
  };
  const rows = members.map((member) => ({
    name: personRow(member, member.accountId === visit.who.account.id ? '(you)' : ''),
    facts: [member.role === 'owner' ? 'Owner' : 'Member', html`since ${moment(member.since)}`],
    actions: actions(member),
  }));
  return rowList(rows, '');
}

async function invitedCard(visit: SignedInVisit, deps: PortalDeps, place: OrganizationPlace): Promise<Html> {
  const open = await deps.invitations.list(visit.actor, place.organization.id);
  const rows = (open.ok ? open.value : []).map((one) => ({
    name: html`${one.email}`,
    facts: [html`works until ${moment(one.expiresAt)}`],
    actions: [withdrawForm(visit, deps, place, one)],
  }));
  const list = rowList(rows, 'Nobody is invited at the moment.');
  const invite = html`<p><a class="button" href="${place.path}/members/invite">Invite somebody</a></p>`;
  return card('Open invitations', html`${list}${invite}`);
}

function withdrawForm(
  visit: SignedInVisit,
  { ids }: PortalDeps,
  { path }: OrganizationPlace,
  { id, email }: Invitation,
): Html {
  const action = `${path}/invitations/${ids.seal('invitation', id)}/withdraw`;
  const content = html`<button type="submit" class="quiet" aria-label="Withdraw: ${email}">Withdraw</button>`;
  return form({ visit, action, content });
}
