import type { SignedIn } from '../../../model/session.ts';
import type { InvitationView } from '../../../platform/organizations/invitations.ts';
import { NewPasswordField } from '../components/accountFields.tsx';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { UserName } from '../components/userName.tsx';
import { withQuery } from '../kit/formData.ts';
import type { Visit } from '../kit/handler.ts';
import { sentenceFor } from '../kit/messages.ts';
import { linkPage, linkPath } from '../kit/secretLink.tsx';

const PATH = linkPath('invitation');
const TITLE = 'You are invited';
/** After signing in, the user returns to the invitation, whose token is in a cookie. */
export const LOGIN = withQuery('/portal/login', { return: PATH });

/** A valid link that was opened. `signedIn` is undefined if no user is signed in. */
export type OpenedInvitation = {
  readonly token: string;
  readonly view: InvitationView;
  readonly signedIn: SignedIn | undefined;
};

export function invitationPage(visit: Visit, opened: OpenedInvitation, typed = '', errors: FieldErrors = []) {
  const { view, signedIn } = opened;
  const { invitation, organization, inviter } = view;
  const content = (
    <>
      <p>
        <UserName user={inviter} /> invites you to “<bdi>{organization.name}</bdi>”. Its members manage its
        properties and see their statistics.
      </p>
      <p>
        The invitation is for <strong>{invitation.email}</strong> and expires{' '}
        <Moment instant={invitation.expiresAt} />.
      </p>
      {signedIn === undefined ? (
        <SignInOptions visit={visit} opened={opened} typed={typed} errors={errors} />
      ) : (
        <AcceptForm visit={visit} opened={opened} signedIn={signedIn} />
      )}
    </>
  );
  // A user who is signed in with another address cannot have sent the form of this page.
  const isRejected = visit.request.method === 'POST' && signedIn !== undefined;
  const status = errors.length > 0 ? 422 : isRejected ? 403 : 200;
  return linkPage(visit, 'invitation', { title: TITLE, content, status, errors });
}

/** For a user who is signed in. */
function AcceptForm(props: {
  readonly visit: Visit;
  readonly opened: OpenedInvitation;
  readonly signedIn: SignedIn;
}) {
  const { visit, opened, signedIn } = props;
  const { email } = opened.view.invitation;
  const isInvited = signedIn.account.email === email;
  return (
    <Form
      visit={visit}
      action={isInvited ? PATH : `${PATH}/sign-out`}
      button={isInvited ? 'Accept invitation' : 'Sign out'}
    >
      <input type="hidden" name="token" value={opened.token} />
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

/** For all others. The page offers to sign in and to create an account, because it must not reveal whether the address has an account. */
function SignInOptions(props: {
  readonly visit: Visit;
  readonly opened: OpenedInvitation;
  readonly typed: string;
  readonly errors: FieldErrors;
}) {
  const { visit, opened, typed, errors } = props;
  return (
    <>
      <Card title="Sign in">
        <p>If this address has an account here, sign in with it.</p>
        <LinkButton path={LOGIN}>Sign in to accept</LinkButton>
      </Card>
      <Card title="Create account">
        <Form visit={visit} action={`${PATH}/account`} button="Create account">
          <p>If this address has no account here yet, create one, then sign in with it.</p>
          <input type="hidden" name="token" value={opened.token} />
          <input type="hidden" name="username" value={opened.view.invitation.email} autocomplete="username" />
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

export function noLinkPage(visit: Visit) {
  const content = <p>To accept an invitation, open the link that the owner of the organization sent you.</p>;
  return linkPage(visit, 'invitation', { title: TITLE, content, asksForLink: true });
}

export function invalidInvitationPage(visit: Visit) {
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
