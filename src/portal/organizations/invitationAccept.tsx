import { type SignedIn, sessionActor } from '../../model/session.ts';
import { NewPasswordField } from '../components/accountFields.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { Moment, UserName } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';
import { fieldErrorOf, fieldOf, sentenceFor } from '../kit/forms.ts';
import { asSignedIn, type PortalDeps, type Visit } from '../kit/handler.ts';
import { redirectTo, redirectWithNotice, redirectWithWarning } from '../kit/pages.tsx';
import { linkPath, organizationPath, TWO_FACTOR_PATH, withQuery } from '../kit/paths.ts';
import { clearLink, linkPage, openedToken, redirectToLink } from '../kit/secretLink.tsx';
import { startSession } from '../kit/sessionStart.ts';

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
  return signedIn === undefined
    ? redirectToLink(deps, 'invitation', token)
    : accept(visit, deps, opened, signedIn);
}

async function accept(visit: Visit, deps: PortalDeps, opened: OpenedInvitation, signedIn: SignedIn) {
  const { token } = opened;
  if (await deps.authentication.twoFactor.isMissing(signedIn.account))
    return redirectWithWarning(deps, TWO_FACTOR_PATH, t('organizations.invitation.enrollFirst'));
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
 * Creates an account with the invited address, signs the user in with the password, and accepts. If the address already has an
 * account with another password, the user signs in first: the response shows no more than an attempt to sign in would.
 */
export async function createInvitedAccount(visit: Visit, deps: PortalDeps) {
  const opened = await openInvitation(visit, deps, fieldOf(visit.form, 'token'));
  if (opened === undefined) return invalidInvitationPage(visit);
  const { token, view, signedIn } = opened;
  if (signedIn !== undefined) return redirectToLink(deps, 'invitation', token);
  const name = fieldOf(visit.form, 'name');
  const password = fieldOf(visit.form, 'password');
  const draft = { token, name, password };
  const created = await deps.invitations.createAccount(draft, visit.clientInfo);
  if (!created.ok) {
    if (created.problem === 'invitation-unknown') return invalidInvitationPage(visit);
    return invitationPage(visit, opened, name, [fieldErrorOf(created.problem)]);
  }
  const { email } = view.invitation;
  const started = await deps.authentication.signIn.withPassword({ email, password }, visit.clientInfo);
  if (started.ok && !started.value.session.awaitsCode)
    return startSession(visit, deps, started.value, await accept(visit, deps, opened, started.value));
  const response = started.ok
    ? redirectTo(withQuery('/portal/login/code', { return: PATH }))
    : redirectWithNotice(deps, LOGIN, t('organizations.invitation.accountCreated', { email }));
  response.headers.append('Set-Cookie', deps.cookies.write('link', `invitation ${token}`));
  return started.ok ? startSession(visit, deps, started.value, response) : response;
}

/** Signs out, so that the user can sign in with the invited address. */
export async function signOutForInvitation(visit: Visit, deps: PortalDeps) {
  const { sessions } = deps.authentication;
  const signedIn = await signedInUser(visit, deps);
  if (signedIn !== undefined)
    await sessions.end(sessionActor(signedIn, visit.clientInfo), signedIn.session.id);
  const response = redirectToLink(deps, 'invitation', fieldOf(visit.form, 'token'));
  const notice = t('organizations.invitation.signedOut');
  response.headers.append('Set-Cookie', deps.cookies.write('notice', notice));
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}

/** A valid link that was opened. `signedIn` is undefined if no user is signed in. */
type OpenedInvitation = NonNullable<Awaited<ReturnType<typeof openInvitation>>>;

async function openInvitation(visit: Visit, deps: PortalDeps, token: string) {
  const view = await deps.invitations.byToken(token);
  return view.ok ? { token, view: view.value, signedIn: await signedInUser(visit, deps) } : undefined;
}

/** The user who is signed in, if any. The guard of a public page does not look this up. */
async function signedInUser(visit: Visit, { cookies, authentication }: PortalDeps) {
  const { session } = cookies.read(visit.request);
  return session === undefined ? undefined : authentication.sessions.open(session, visit.clientInfo);
}

const PATH = linkPath('invitation');
/** After signing in, the user returns to the invitation, whose token is in a cookie. */
const LOGIN = withQuery('/portal/login', { return: PATH });

function invitationPage(visit: Visit, opened: OpenedInvitation, typed = '', errors: FieldErrors = []) {
  const { view, signedIn } = opened;
  const { invitation, organization, inviter } = view;
  const names = { inviter: <UserName user={inviter} />, organization: <bdi>{organization.name}</bdi> };
  const validity = {
    email: <strong>{invitation.email}</strong>,
    time: <Moment instant={invitation.expiresAt} />,
  };
  const content = (
    <>
      <p>{rich('organizations.invitation.text', names)}</p>
      <p>{rich('organizations.invitation.validity', validity)}</p>
      {signedIn === undefined
        ? signInOptions(visit, opened, typed, errors)
        : acceptForm(visit, opened, signedIn.account.email)}
    </>
  );
  // A user who is signed in with another address cannot have sent the form of this page.
  const isRejected = visit.request.method === 'POST' && signedIn !== undefined;
  const status = errors.length > 0 ? 422 : isRejected ? 403 : 200;
  return linkPage(visit, 'invitation', {
    title: t('organizations.invitation.title'),
    content,
    status,
    errors,
  });
}

/** For a user who is signed in. @param current the user's email address */
function acceptForm(visit: Visit, { token, view }: OpenedInvitation, current: string) {
  const { email } = view.invitation;
  const field = <input type="hidden" name="token" value={token} />;
  if (current === email)
    return (
      <Form visit={visit} action={PATH} button={t('organizations.invitation.accept')}>
        {field}
        <p>{t('organizations.invitation.signedIn', { email })}</p>
      </Form>
    );
  return (
    <Form visit={visit} action={`${PATH}/sign-out`} button={t('organizations.invitation.signOut')}>
      {field}
      <p>{rich('organizations.invitation.otherAddress', { current: <strong>{current}</strong>, email })}</p>
    </Form>
  );
}

/** For all others. The page offers to sign in and to create an account, because it must not reveal whether the address has an account. */
function signInOptions(visit: Visit, { token, view }: OpenedInvitation, typed: string, errors: FieldErrors) {
  return (
    <>
      <Card title={t('organizations.invitation.signIn')}>
        <p>{t('organizations.invitation.signInText')}</p>
        <LinkButton path={LOGIN} text={t('organizations.invitation.signInToAccept')} />
      </Card>
      <Card title={t('organizations.invitation.createAccount')}>
        <Form visit={visit} action={`${PATH}/account`} button={t('organizations.invitation.createAccount')}>
          <p>{t('organizations.invitation.createAccountText')}</p>
          <input type="hidden" name="token" value={token} />
          <input type="hidden" name="username" value={view.invitation.email} autocomplete="username" />
          <Field
            name="name"
            label={t('organizations.invitation.yourName')}
            help={t('organizations.invitation.yourNameHelp')}
            value={typed}
            autocomplete="name"
            errors={errors}
          />
          <NewPasswordField label={t('organizations.invitation.password')} errors={errors} />
        </Form>
      </Card>
    </>
  );
}

function noLinkPage(visit: Visit) {
  const title = t('organizations.invitation.title');
  const content = <p>{t('organizations.invitation.noLink')}</p>;
  return linkPage(visit, 'invitation', { title, content, asksForLink: true });
}

function invalidInvitationPage(visit: Visit) {
  const content = (
    <>
      <p>{sentenceFor('invitation-unknown')}</p>
      <p>{rich('organizations.invitation.alreadyAccepted', { link: '/portal/orgs' })}</p>
    </>
  );
  const title = t('organizations.invitation.invalidTitle');
  return linkPage(visit, 'invitation', { title, content, status: 404, asksForLink: true });
}
