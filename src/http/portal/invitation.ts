import { html } from '../../lib/html.ts';
import type { Account } from '../../model/account.ts';
import type { Caller } from '../../model/caller.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { SignedIn } from '../../model/session.ts';
import type { InvitationView } from '../../platform/invitations.ts';
import { redirectSaying, redirectTo } from './answers.ts';
import { enter } from './entrance.ts';
import { fieldOf, withQuery } from './form.ts';
import { page } from './layout.ts';
import { card, field, form, type Mistake, moment, submit } from './parts.ts';
import { callerOf, type PortalDeps, type Visit } from './route.ts';
import { personName } from './rows.ts';
import { mistakeOf, sentenceFor } from './sentences.ts';
import { newPassword } from './setUp.ts';

export const INVITATION_PATH = '/portal/invitation';

/** Somebody with a link that works, signed in or not. */
type Arrival = { readonly token: string; readonly view: InvitationView; readonly who: SignedIn | undefined };

/** `GET /portal/invitation`: who invites to what, and what to do, which depends on who looks. */
export async function showInvitation(visit: Visit, deps: PortalDeps): Promise<Response> {
  const arrival = await arrivalOf(visit, deps, fieldOf(visit.query, 'token'));
  return arrival === undefined ? voidPage(visit) : invitationPage(visit, arrival);
}

/** `POST /portal/invitation`: becomes a member, as who is signed in or as somebody new. */
export async function acceptInvitation(visit: Visit, deps: PortalDeps): Promise<Response> {
  const arrival = await arrivalOf(visit, deps, fieldOf(visit.form, 'token'));
  if (arrival === undefined) return voidPage(visit);
  const { token, view, who } = arrival;
  if (who !== undefined) return acceptAs(visit, deps, arrival, who);
  // Somebody has the address by now, or the session has lapsed meanwhile.
  if (view.hasAccount) return redirectTo(withQuery(INVITATION_PATH, { token }));
  const name = fieldOf(visit.form, 'name');
  const draft = { token, name, password: fieldOf(visit.form, 'password') };
  const accepted = await deps.invitations.acceptAsNewAccount(draft);
  if (accepted.ok) return welcome(visit, deps, accepted.value.account, view);
  if (accepted.problem === 'invitation-unknown') return voidPage(visit);
  if (accepted.problem === 'email-taken') return redirectTo(withQuery(INVITATION_PATH, { token }));
  const place = accepted.problem.startsWith('password') ? 'password' : 'name';
  return invitationPage(visit, arrival, name, [mistakeOf(accepted.problem, place)]);
}

/** `POST /portal/invitation/sign-out`: makes room for the one who is invited. */
export async function signOutForInvitation(visit: Visit, deps: PortalDeps): Promise<Response> {
  const { sessions } = deps.people;
  const who = await whoLooks(visit, deps);
  if (who !== undefined) await sessions.end(who, who.session.id, visit.whence);
  const token = fieldOf(visit.form, 'token');
  const response = redirectSaying(deps, withQuery(INVITATION_PATH, { token }), 'You are signed out.');
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}

async function arrivalOf(visit: Visit, deps: PortalDeps, token: string): Promise<Arrival | undefined> {
  const view = await deps.invitations.byToken(token);
  return view.ok ? { token, view: view.value, who: await whoLooks(visit, deps) } : undefined;
}

/** Who is signed in; the guard of a public page does not look. */
async function whoLooks(visit: Visit, { cookies, people }: PortalDeps): Promise<SignedIn | undefined> {
  const { session } = cookies.read(visit.request);
  return session === undefined ? undefined : people.sessions.open(session, visit.whence);
}

async function acceptAs(visit: Visit, deps: PortalDeps, arrival: Arrival, who: SignedIn): Promise<Response> {
  const accepted = await deps.invitations.accept(arrival.token, who.account);
  if (!accepted.ok)
    return accepted.problem === 'invitation-unknown' ? voidPage(visit) : invitationPage(visit, arrival);
  const { id, name } = accepted.value;
  await noteAccepted(callerOf({ ...visit, who }), deps, who.account, id);
  return redirectSaying(deps, pathOf(deps, id), `You are a member of “${name}” now.`);
}

/** The account is there and a member: it is signed in, and sees where it belongs. */
async function welcome(
  visit: Visit,
  deps: PortalDeps,
  account: Account,
  { organization }: InvitationView,
): Promise<Response> {
  const begun = await deps.people.sessions.begin(account, visit.whence, false);
  const caller = callerOf({ ...visit, who: begun });
  const act = { action: 'user-created', organizationId: undefined, subject: account.email } as const;
  await deps.audit.recordAct(caller, act);
  await noteAccepted(caller, deps, account, organization.id);
  const response = await enter(visit, deps, begun, pathOf(deps, organization.id));
  const notice = `Welcome! You are a member of “${organization.name}” now.`;
  response.headers.append('Set-Cookie', deps.cookies.write('notice', notice));
  return response;
}

function noteAccepted(
  caller: Caller,
  { audit }: PortalDeps,
  { email: subject }: Account,
  organizationId: OrganizationId,
): Promise<void> {
  return audit.recordAct(caller, { action: 'invitation-accepted', organizationId, subject });
}

function pathOf({ ids }: PortalDeps, id: OrganizationId): string {
  return `/portal/orgs/${ids.seal('organization', id)}`;
}

const TITLE = 'You are invited';

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
${who === undefined ? wayIn(visit, arrival, typed, mistakes) : answerOf(visit, arrival, who)}`;
  // Whoever is signed in as somebody else cannot have sent the form of this page.
  const isRefused = visit.request.method === 'POST' && who !== undefined;
  const status = mistakes.length > 0 ? 422 : isRefused ? 403 : 200;
  return page(visit, { title: TITLE, content, status, mistakes });
}

/** For who is signed in. */
function answerOf(visit: Visit, { token, view }: Arrival, { account }: SignedIn) {
  const hidden = html`<input type="hidden" name="token" value="${token}">`;
  const { email } = view.invitation;
  if (account.email === email)
    return form({
      visit,
      action: INVITATION_PATH,
      content: html`${hidden}
<p>You are signed in as ${email}.</p>
${submit('Accept')}`,
    });
  const content = html`${hidden}
<p>You are signed in as <strong>${account.email}</strong>, which is another address. Sign out here, and go on as
${email}.</p>
${submit('Sign out')}`;
  return form({ visit, action: `${INVITATION_PATH}/sign-out`, content });
}

/** For who is not: signing in, or an account. */
function wayIn(visit: Visit, { token, view }: Arrival, typed: string, mistakes: readonly Mistake[]) {
  const { email } = view.invitation;
  if (view.hasAccount) {
    const login = withQuery('/portal/login', { return: withQuery(INVITATION_PATH, { token }) });
    return card(
      'You have an account here',
      html`<p><a class="button" href="${login}">Sign in to accept</a></p>`,
    );
  }
  const name = { name: 'name', label: 'Your name', value: typed, autocomplete: 'name' } as const;
  const help = 'How the other members see you.';
  const content = html`<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
${field({ ...name, help, isFocused: mistakes.length === 0 }, mistakes)}${newPassword('Password', mistakes)}${submit('Create the account and accept')}`;
  return form({ visit, action: INVITATION_PATH, content });
}

function voidPage(visit: Visit): Response {
  const content = html`<p>${sentenceFor('invitation-unknown')}</p>
<p>Have you accepted it already? Then <a href="/portal">go on to your organizations</a>.</p>`;
  return page(visit, { title: 'This invitation does not work', content, status: 404 });
}
