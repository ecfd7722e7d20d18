import { type Html, html } from '../../../lib/html.ts';
import type { Invitation } from '../../../model/invitation.ts';
import type { Member } from '../../../model/organization.ts';
import { card, form, moment } from '../components/parts.tsx';
import { personRow, rowList } from '../components/rows.tsx';
import { page } from '../kit/layout.tsx';
import { organizationTabs } from '../kit/place.tsx';
import { accessLost, notFound, redirectSaying } from '../kit/responses.tsx';
import type { InvitationVisit, OrganizationVisit, PortalDeps } from '../kit/route.ts';

/** `GET /portal/orgs/:org/members`: who belongs to it; for the owner also who is invited. */
export async function showMembers(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const members = await deps.members.list(visit.actor, visit.organization.id);
  if (!members.ok) return notFound(visit);
  const authentication = card('People', memberList(visit, deps, members.value));
  const invited = visit.isOwner ? await invitedCard(visit, deps) : html``;
  const content = html`${organizationTabs(visit, '/members')}${authentication}${invited}`;
  return page(visit, { title: 'Members', content });
}

/** `POST /portal/orgs/:org/invitations/:invitation/withdraw`: its link does not work any more. */
export async function withdrawInvitation(visit: InvitationVisit, deps: PortalDeps): Promise<Response> {
  const organizationId = visit.organization.id;
  const caller = visit.actor;
  const revoked = await deps.invitations.revoke(caller, organizationId, visit.invitationId);
  if (!revoked.ok) return accessLost(visit, revoked.problem);
  const { email: subject } = revoked.value;
  await deps.audit.recordAct(caller, { action: 'invitation-withdrawn', organizationId, subject });
  return redirectSaying(
    deps,
    `${visit.organizationPath}/members`,
    `The invitation of ${subject} was withdrawn.`,
  );
}

function memberList(visit: OrganizationVisit, { ids }: PortalDeps, members: readonly Member[]): Html {
  const actions = ({ accountId, name, role }: Member): readonly Html[] => {
    if (!visit.isOwner || role === 'owner') return [];
    const path = `${visit.organizationPath}/members/${ids.seal('account', accountId)}`;
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

async function invitedCard(visit: OrganizationVisit, deps: PortalDeps): Promise<Html> {
  const open = await deps.invitations.list(visit.actor, visit.organization.id);
  const rows = (open.ok ? open.value : []).map((one) => ({
    name: html`${one.email}`,
    facts: [html`works until ${moment(one.expiresAt)}`],
    actions: [withdrawForm(visit, deps, one)],
  }));
  const list = rowList(rows, 'Nobody is invited at the moment.');
  const invite = html`<p><a class="button" href="${visit.organizationPath}/members/invite">Invite somebody</a></p>`;
  return card('Open invitations', html`${list}${invite}`);
}

function withdrawForm(visit: OrganizationVisit, { ids }: PortalDeps, { id, email }: Invitation): Html {
  const action = `${visit.organizationPath}/invitations/${ids.seal('invitation', id)}/withdraw`;
  const content = html`<button type="submit" class="quiet" aria-label="Withdraw: ${email}">Withdraw</button>`;
  return form({ visit, action, content });
}
