import { html } from '../../../lib/html.ts';
import type { Account } from '../../../model/account.ts';
import type { UserActor } from '../../../model/actor.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { SignedIn } from '../../../model/session.ts';
import type { InvitationView } from '../../../platform/invitations.ts';
import { TWO_FACTOR_PATH } from '../account/security.tsx';
import { card, field, form, type Mistake, moment, submit } from '../components/parts.tsx';
import { personName } from '../components/rows.tsx';
import { fieldOf, withQuery } from '../kit/formData.ts';
import { type FieldOfProblem, mistakeFor, PASSWORD_FIELDS, sentenceFor } from '../kit/messages.ts';
import { redirectSaying, redirectTo } from '../kit/responses.tsx';
import { asSignedIn, type PortalDeps, type Visit } from '../kit/route.ts';
import { forgetLink, linkPage, linkPath, openedToken, redirectToLink } from '../kit/secretLink.tsx';
import { newPassword } from '../onboarding/setup.tsx';

const PATH = linkPath('invitation');

/** A request with a link that works, signed in or not. */
type Arrival = { readonly token: string; readonly view: InvitationView; readonly who: SignedIn | undefined };

/** `GET /portal/invitation`: the inviter and the organization. The page is the same whether the invited address has an account or not. */
export async function showInvitation(visit: Visit, deps: PortalDeps): Promise<Response> {
  const token = openedToken(visit, deps, 'invitation');
  if (token === '') return noLinkPage(visit);
  const arrival = await arrivalOf(visit, deps, token);
  return arrival === undefined ? voidPage(visit) : invitationPage(visit, arrival);
}

/** `POST /portal/invitation`: the signed-in user becomes a member. */
export async function acceptInvitation(visit: Visit, deps: PortalDeps): Promise<Response> {
  const arrival = await arrivalOf(visit, deps, fieldOf(visit.form, 'token'));
  if (arrival === undefined) return voidPage(visit);
  const { token, who } = arrival;
  // The session ended meanwhile.
  if (who === undefined) return redirectToLink(deps, 'invitation', token);
  if (await deps.authentication.twoFactor.isMissing(who.account)) return redirectTo(TWO_FACTOR_PATH);
  const accepted = await deps.invitations.accept(token, who.account);
  if (!accepted.ok)
    return accepted.problem === 'invitation-unknown' ? voidPage(visit) : invitationPage(visit, arrival);
  const { id, name } = accepted.value;
  await noteAccepted(asSignedIn(visit, who).actor, deps, who.account, id);
  const notice = `You are a member of “${name}” now.`;
  return forgetLink(deps, redirectSaying(deps, pathOf(deps, id), notice));
}

/**
 * `POST /portal/invitation/account`: creates an account with the invited address. The response is the same if the address already
 * has an account: the user then signs in with the account's password and accepts.
 */
export async function createInvitedAccount(visit: Visit, deps: PortalDeps): Promise<Response> {
  const arrival = await arrivalOf(visit, deps, fieldOf(visit.form, 'token'));
  if (arrival === undefined) return voidPage(visit);
  const { token, view, who } = arrival;
  if (who !== undefined) return redirectToLink(deps, 'invitation', token);
  const name = fieldOf(visit.form, 'name');
  const draft = { token, name, password: fieldOf(visit.form, 'password') };
  const created = await deps.invitations.createAccount(draft, visit.clientInfo);
  if (!created.ok) {
    if (created.problem === 'invitation-unknown') return voidPage(visit);
    return invitationPage(visit, arrival, name, [mistakeFor(created.problem, FIELDS)]);
  }
  const { email } = view.invitation;
  const notice = `Sign in as ${email} to accept the invitation. If you already had an account, its password has not changed.`;
  const response = redirectSaying(deps, LOGIN, notice);
  response.headers.append('Set-Cookie', deps.cookies.write('link', `invitation ${token}`));
  return response;
}

const FIELDS: FieldOfProblem<'name' | 'password'> = {
  'account-name-empty': 'name',
  'account-name-too-long': 'name',
  'account-name-malformed': 'name',
  ...PASSWORD_FIELDS,
};

/** `POST /portal/invitation/sign-out`: signs out, so that the user can sign in with the invited address. */
export async function signOutForInvitation(visit: Visit, deps: PortalDeps): Promise<Response> {
  const { sessions } = deps.authentication;
  const who = await whoLooks(visit, deps);
  if (who !== undefined) await sessions.end(who, who.session.id, visit.clientInfo);
  const response = redirectToLink(deps, 'invitation', fieldOf(visit.form, 'token'));
  response.headers.append('Set-Cookie', deps.cookies.write('notice', 'You are signed out.'));
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}

async function arrivalOf(visit: Visit, deps: PortalDeps, token: string): Promise<Arrival | undefined> {
  const view = await deps.invitations.byToken(token);
  return view.ok ? { token, view: view.value, who: await whoLooks(visit, deps) } : undefined;
}

/** Who is signed in; the guard of a public page does not look. */
async function whoLooks(
  visit: Visit,
  { cookies, authentication }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(visit.request);
  return session === undefined ? undefined : authentication.sessions.open(session, visit.clientInfo);
}

function noteAccepted(
  actor: UserActor,
  { audit }: PortalDeps,
  { email: subject }: Account,
  organizationId: OrganizationId,
): Promise<void> {
  return audit.recordAct(actor, { action: 'invitation-accepted', organizationId, subject });
}

function pathOf({ ids }: PortalDeps, id: OrganizationId): string {
  return `/portal/orgs/${ids.seal('organization', id)}`;
}

const TITLE = 'You are invited';
/** After signing in, the user returns to the invitation, whose token is in a cookie. */
const LOGIN = withQuery('/portal/login', { return: PATH });

function invitationPage(
  visit: Visit,
  arrival: Arrival,
  typed = '',
  mistakes: readonly Mistake[] = [],
): Response {
  const { view, who } = arrival;
  const { invitation, organization, inviter } = view;
  const content = html`<p>${personName(inviter)} invites you to “<bdi>${organization.name}</bdi>”. Its members manage the sites that
it protects from robots, and see their statistics.</p>
<p>The invitation is for <strong>${invitation.email}</strong> and works until ${moment(invitation.expiresAt)}.</p>
${who === undefined ? waysIn(visit, arrival, typed, mistakes) : answerOf(visit, arrival, who)}`;
  // A user who is signed in with another address cannot have sent the form of this page.
  const isRefused = visit.request.method === 'POST' && who !== undefined;
  const status = mistakes.length > 0 ? 422 : isRefused ? 403 : 200;
  return linkPage(visit, 'invitation', { title: TITLE, content, status, mistakes });
}

/** For a user who is signed in. */
function answerOf(visit: Visit, { token, view }: Arrival, { account }: SignedIn) {
  const hidden = html`<input type="hidden" name="token" value="${token}">`;
  const { email } = view.invitation;
  if (account.email === email)
    return form({
      visit,
      action: PATH,
      content: html`${hidden}
<p>You are signed in as ${email}.</p>
${submit('Accept')}`,
    });
  const content = html`${hidden}
<p>You are signed in as <strong>${account.email}</strong>, which is another address. Sign out here, and go on as
${email}.</p>
${submit('Sign out')}`;
  return form({ visit, action: `${PATH}/sign-out`, content });
}

/** For all others: both signing in and creating an account, because the page does not reveal which one the address needs. */
function waysIn(visit: Visit, { token, view }: Arrival, typed: string, mistakes: readonly Mistake[]) {
  const { email } = view.invitation;
  const name = { name: 'name', label: 'Your name', value: typed, autocomplete: 'name' } as const;
  const help = 'How the other members see you.';
  const content = html`<p>If this address has no account here yet, create one, then sign in with it.</p>
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
${field({ ...name, help }, mistakes)}${newPassword('Password', mistakes)}${submit('Create account')}`;
  const signIn = html`<p>If this address has an account here, sign in with it.</p>
<p><a class="button" href="${LOGIN}">Sign in to accept</a></p>`;
  const action = `${PATH}/account`;
  return html`${card('Sign in', signIn)}${card('Create an account', form({ visit, action, content }))}`;
}

function noLinkPage(visit: Visit): Response {
  const content = html`<p>To accept an invitation, open the link that the owner of the organization sent you.</p>`;
  return linkPage(visit, 'invitation', { title: TITLE, content, asksForLink: true });
}

function voidPage(visit: Visit): Response {
  const content = html`<p>${sentenceFor('invitation-unknown')}</p>
<p>Have you accepted it already? Then <a href="/portal">go on to your organizations</a>.</p>`;
  const title = 'This invitation does not work';
  return linkPage(visit, 'invitation', { title, content, status: 404, asksForLink: true });
}
