import { html } from '../../../lib/html.ts';
import type { RevealedInvitation } from '../../../platform/invitations.ts';
import { card, copyable, field, form, type Mistake, moment, submit } from '../components/parts.tsx';
import { actOrCancel } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { type FieldOfProblem, mistakeFor, mistakeOf } from '../kit/messages.ts';
import { organizationTabs } from '../kit/place.tsx';
import { accessLost } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/route.ts';
import { linkTo } from '../kit/secretLink.tsx';
import { ONCE_FIELD } from '../kit/singleUse.ts';

/** `GET /portal/orgs/:org/members/invite`. */
export function showInvite(visit: OrganizationVisit, deps: PortalDeps): Response {
  return invitePage(visit, deps, '');
}

/** `POST /portal/orgs/:org/members/invite`: shows the link, this once. */
export async function invite(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const email = fieldOf(visit.form, 'email');
  if (!deps.once.take(visit)) return invitePage(visit, deps, email, [mistakeOf('form-sent-before')]);
  const caller = visit.actor;
  const { id: organizationId } = visit.organization;
  const invited = await deps.invitations.invite(caller, organizationId, email);
  if (invited.ok) {
    const { email: subject } = invited.value.invitation;
    await deps.audit.recordAct(caller, { action: 'invitation-created', organizationId, subject });
    return linkPage(visit, deps, invited.value);
  }
  return FIELDS[invited.problem] === undefined
    ? accessLost(visit, invited.problem)
    : invitePage(visit, deps, email, [mistakeFor(invited.problem, FIELDS)]);
}

const FIELDS: FieldOfProblem<'email'> = {
  'email-malformed': 'email',
  'member-already': 'email',
  'invitations-limit': 'email',
};

function invitePage(
  visit: OrganizationVisit,
  { once }: PortalDeps,
  typed: string,
  mistakes: readonly Mistake[] = [],
): Response {
  const help =
    'The invitation is for this address alone. Inviting it again makes another link, and the one before is void.';
  const email = { name: 'email', label: 'E-mail address', type: 'email', value: typed, help } as const;
  const isFocused = mistakes.length === 0;
  const content = html`<input type="hidden" name="${ONCE_FIELD}" value="${once.issue()}">
<p>A member sees this organization’s sites and their statistics, and can make, change and delete
sites.</p>
${field({ ...email, autocomplete: 'off', isLiteral: true, isFocused }, mistakes)}${actOrCancel(submit('Make the link'), `${visit.organizationPath}/members`)}`;
  const action = `${visit.organizationPath}/members/invite`;
  const body = html`${organizationTabs(visit, '/members')}${form({ visit, action, content })}`;
  return page(visit, { title: 'Invite somebody', content: body, mistakes });
}

function linkPage(
  visit: OrganizationVisit,
  { baseUrl }: PortalDeps,
  { invitation, token }: RevealedInvitation,
): Response {
  const link = linkTo(baseUrl, 'invitation', token);
  const content = html`<p>Send it to <strong>${invitation.email}</strong> yourself: no mail is sent from here. It is shown now and
never again, works once, and until ${moment(invitation.expiresAt)}.</p>
${copyable('link', link, 'Copy the link')}
<p>Whoever has the link can use it, so send it to nobody else.</p>
<p><a class="button" href="${visit.organizationPath}/members">I have sent it</a></p>`;
  const body = html`${organizationTabs(visit, '/members')}${card('The link', content)}`;
  return page(visit, { title: 'Invite somebody', content: body });
}
