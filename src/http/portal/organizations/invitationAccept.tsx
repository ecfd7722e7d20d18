import type { OrganizationId } from '../../../model/organization.ts';
import { type SignedIn, sessionActor } from '../../../model/session.ts';
import type { InvitationView } from '../../../platform/organizations/invitations.ts';
import { TWO_FACTOR_PATH } from '../account/security.tsx';
import { Card } from '../components/card.tsx';
import { Field, type FieldError } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { NewPasswordField } from '../components/passwordFields.tsx';
import { Moment } from '../components/time.tsx';
import { UserName } from '../components/userName.tsx';
import { fieldOf, withQuery } from '../kit/formData.ts';
import { fieldErrorOf, sentenceFor } from '../kit/messages.ts';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { clearLink, linkPage, linkPath, openedToken, redirectToLink } from '../kit/secretLink.tsx';
import { asSignedIn, type Visit } from '../kit/visit.ts';

const PATH = linkPath('invitation');

/** A request with a link that works, signed in or not. */
type Arrival = {
  readonly token: string;
  readonly view: InvitationView;
  readonly signedIn: SignedIn | undefined;
};

/** The inviter and the organization. The page is the same whether the invited address has an account or not. */
export async function showInvitation(visit: Visit, deps: PortalDeps) {
  const token = openedToken(visit, deps, 'invitation');
  if (token === '') return noLinkPage(visit);
  const arrival = await arrivalOf(visit, deps, token);
  return arrival === undefined ? voidPage(visit) : invitationPage(visit, arrival);
}

/** The signed-in user becomes a member. */
export async function acceptInvitation(visit: Visit, deps: PortalDeps) {
  const arrival = await arrivalOf(visit, deps, fieldOf(visit.form, 'token'));
  if (arrival === undefined) return voidPage(visit);
  const { token, signedIn } = arrival;
  // The session ended in the meantime.
  if (signedIn === undefined) return redirectToLink(deps, 'invitation', token);
  if (await deps.authentication.twoFactor.isMissing(signedIn.account)) return redirectTo(TWO_FACTOR_PATH);
  const accepted = await deps.invitations.accept(asSignedIn(visit, signedIn).actor, token);
  if (!accepted.ok)
    return accepted.problem === 'invitation-unknown' ? voidPage(visit) : invitationPage(visit, arrival);
  const { id, name } = accepted.value;
  const notice = `You are now a member of “${name}”.`;
  return clearLink(deps, redirectWithNotice(deps, pathOf(deps, id), notice));
}

/**
 * `POST /portal/invitation/account`: creates an account with the invited address. The response is the same if the address already
 * has an account: the user then signs in with the account's password and accepts.
 */
export async function createInvitedAccount(visit: Visit, deps: PortalDeps) {
  const arrival = await arrivalOf(visit, deps, fieldOf(visit.form, 'token'));
  if (arrival === undefined) return voidPage(visit);
  const { token, view, signedIn } = arrival;
  if (signedIn !== undefined) return redirectToLink(deps, 'invitation', token);
  const name = fieldOf(visit.form, 'name');
  const draft = { token, name, password: fieldOf(visit.form, 'password') };
  const created = await deps.invitations.createAccount(draft, visit.clientInfo);
  if (!created.ok) {
    if (created.problem === 'invitation-unknown') return voidPage(visit);
    return invitationPage(visit, arrival, name, [fieldErrorOf(created.problem)]);
  }
  const { email } = view.invitation;
  const notice = `Sign in as ${email} to accept the invitation. If you already had an account, its password has not changed.`;
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
  response.headers.append('Set-Cookie', deps.cookies.write('notice', 'You are signed out.'));
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}

async function arrivalOf(visit: Visit, deps: PortalDeps, token: string): Promise<Arrival | undefined> {
  const view = await deps.invitations.byToken(token);
  return view.ok ? { token, view: view.value, signedIn: await signedInUser(visit, deps) } : undefined;
}

/** The user signedIn is signed in, if any. The guard of a public page does not look this up. */
async function signedInUser(
  visit: Visit,
  { cookies, authentication }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(visit.request);
  return session === undefined ? undefined : authentication.sessions.open(session, visit.clientInfo);
}

function pathOf({ ids }: PortalDeps, id: OrganizationId): string {
  return `/portal/orgs/${ids.seal('organization', id)}`;
}

const TITLE = 'You are invited';
/** After signing in, the user returns to the invitation, whose token is in a cookie. */
const LOGIN = withQuery('/portal/login', { return: PATH });

function invitationPage(visit: Visit, arrival: Arrival, typed = '', errors: readonly FieldError[] = []) {
  const { view, signedIn } = arrival;
  const { invitation, organization, inviter } = view;
  const content = (
    <>
      <p>
        <UserName user={inviter} /> invites you to “<bdi>{organization.name}</bdi>”. Its members manage the
        properties that it protects, and see their statistics.
      </p>
      <p>
        The invitation is for <strong>{invitation.email}</strong> and expires{' '}
        <Moment instant={invitation.expiresAt} />.
      </p>
      {signedIn === undefined ? (
        <SignInOptions visit={visit} arrival={arrival} typed={typed} errors={errors} />
      ) : (
        <AcceptForm visit={visit} arrival={arrival} signedIn={signedIn} />
      )}
    </>
  );
  // A user signedIn is signed in with another address cannot have sent the form of this page.
  const isRejected = visit.request.method === 'POST' && signedIn !== undefined;
  const status = errors.length > 0 ? 422 : isRejected ? 403 : 200;
  return linkPage(visit, 'invitation', { title: TITLE, content, status, errors });
}

/** For a user signedIn is signed in. */
function AcceptForm(props: {
  readonly visit: Visit;
  readonly arrival: Arrival;
  readonly signedIn: SignedIn;
}) {
  const { visit, arrival, signedIn } = props;
  const { email } = arrival.view.invitation;
  const isInvited = signedIn.account.email === email;
  return (
    <Form
      visit={visit}
      action={isInvited ? PATH : `${PATH}/sign-out`}
      button={isInvited ? 'Accept invitation' : 'Sign out'}
    >
      <input type="hidden" name="token" value={arrival.token} />
      {isInvited ? (
        <p>You are signed in as {email}.</p>
      ) : (
        <p>
          You are signed in as <strong>{signedIn.account.email}</strong>, which is another address. Sign out,
          then continue as {email}.
        </p>
      )}
    </Form>
  );
}

/** For all others: both signing in and creating an account, because the page does not reveal which one the address needs. */
function SignInOptions(props: {
  readonly visit: Visit;
  readonly arrival: Arrival;
  readonly typed: string;
  readonly errors: readonly FieldError[];
}) {
  const { visit, arrival, typed, errors } = props;
  return (
    <>
      <Card title="Sign in">
        <p>If this address has an account here, sign in with it.</p>
        <LinkButton path={LOGIN}>Sign in to accept</LinkButton>
      </Card>
      <Card title="Create account">
        <Form visit={visit} action={`${PATH}/account`} button="Create account">
          <p>If this address has no account here yet, create one, then sign in with it.</p>
          <input type="hidden" name="token" value={arrival.token} />
          <input
            type="hidden"
            name="username"
            value={arrival.view.invitation.email}
            autocomplete="username"
          />
          <Field
            name="name"
            label="Your name"
            help="Other members see this name."
            value={typed}
            autocomplete="name"
            errors={errors}
          />
          <NewPasswordField label="Password" errors={errors} />
        </Form>
      </Card>
    </>
  );
}

function noLinkPage(visit: Visit) {
  const content = <p>To accept an invitation, open the link that the owner of the organization sent you.</p>;
  return linkPage(visit, 'invitation', { title: TITLE, content, asksForLink: true });
}

function voidPage(visit: Visit) {
  const content = (
    <>
      <p>{sentenceFor('invitation-unknown')}</p>
      <p>
        If you have already accepted it, <a href="/portal">go to your organizations</a>.
      </p>
    </>
  );
  const title = 'This invitation is not valid';
  return linkPage(visit, 'invitation', { title, content, status: 404, asksForLink: true });
}
