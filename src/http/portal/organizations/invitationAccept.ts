import { type SignedIn, sessionActor } from '../../../model/session.ts';
import { TWO_FACTOR_PATH } from '../account/security.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import { asSignedIn, type PortalDeps, type Visit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { clearLink, openedToken, redirectToLink } from '../kit/secretLink.tsx';
import {
  invalidInvitationPage,
  invitationPage,
  LOGIN,
  noLinkPage,
  type OpenedInvitation,
} from './invitationPages.tsx';
import { organizationPath } from './organizationLabel.ts';

/** Shows the inviter and the organization. The page is the same whether the invited address has an account or not. */
export async function showInvitation(visit: Visit, deps: PortalDeps) {
  const token = openedToken(visit, deps, 'invitation');
  if (token === '') return noLinkPage(visit);
  const opened = await openInvitation(visit, deps, token);
  return opened === undefined ? invalidInvitationPage(visit) : invitationPage(visit, opened);
}

/** The signed-in user becomes a member. */
export async function acceptInvitation(visit: Visit, deps: PortalDeps) {
  const opened = await openInvitation(visit, deps, fieldOf(visit.form, 'token'));
  if (opened === undefined) return invalidInvitationPage(visit);
  const { token, signedIn } = opened;
  // The session ended in the meantime.
  if (signedIn === undefined) return redirectToLink(deps, 'invitation', token);
  if (await deps.authentication.twoFactor.isMissing(signedIn.account)) return redirectTo(TWO_FACTOR_PATH);
  const accepted = await deps.invitations.accept(asSignedIn(visit, signedIn).actor, token);
  if (!accepted.ok)
    return accepted.problem === 'invitation-unknown'
      ? invalidInvitationPage(visit)
      : invitationPage(visit, opened);
  const { id, name } = accepted.value;
  const notice = t('organizations.invitation.accepted', { name });
  return clearLink(deps, redirectWithNotice(deps, organizationPath(deps, id), notice));
}

/**
 * Creates an account with the invited address. The response is the same if the address already
 * has an account: the user then signs in with the account's password and accepts.
 */
export async function createInvitedAccount(visit: Visit, deps: PortalDeps) {
  const opened = await openInvitation(visit, deps, fieldOf(visit.form, 'token'));
  if (opened === undefined) return invalidInvitationPage(visit);
  const { token, view, signedIn } = opened;
  if (signedIn !== undefined) return redirectToLink(deps, 'invitation', token);
  const name = fieldOf(visit.form, 'name');
  const draft = { token, name, password: fieldOf(visit.form, 'password') };
  const created = await deps.invitations.createAccount(draft, visit.clientInfo);
  if (!created.ok) {
    if (created.problem === 'invitation-unknown') return invalidInvitationPage(visit);
    return invitationPage(visit, opened, name, [fieldErrorOf(created.problem)]);
  }
  const { email } = view.invitation;
  const notice = t('organizations.invitation.accountCreated', { email });
  const response = redirectWithNotice(deps, LOGIN, notice);
  response.headers.append('Set-Cookie', deps.cookies.write('link', `invitation ${token}`));
  return response;
}

/** Signs out, so that the user can sign in with the invited address. */
export async function signOutForInvitation(visit: Visit, deps: PortalDeps) {
  const { sessions } = deps.authentication;
  const signedIn = await signedInUser(visit, deps);
  if (signedIn !== undefined)
    await sessions.end(sessionActor(signedIn, visit.clientInfo), signedIn.session.id);
  const response = redirectToLink(deps, 'invitation', fieldOf(visit.form, 'token'));
  response.headers.append(
    'Set-Cookie',
    deps.cookies.write('notice', t('organizations.invitation.signedOut')),
  );
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}

async function openInvitation(
  visit: Visit,
  deps: PortalDeps,
  token: string,
): Promise<OpenedInvitation | undefined> {
  const view = await deps.invitations.byToken(token);
  return view.ok ? { token, view: view.value, signedIn: await signedInUser(visit, deps) } : undefined;
}

/** The user who is signed in, if any. The guard of a public page does not look this up. */
async function signedInUser(
  visit: Visit,
  { cookies, authentication }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(visit.request);
  return session === undefined ? undefined : authentication.sessions.open(session, visit.clientInfo);
}
