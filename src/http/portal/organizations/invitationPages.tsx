import type { SignedIn } from '../../../model/session.ts';
import type { InvitationView } from '../../../platform/organizations/invitations.ts';
import { NewPasswordField } from '../components/accountFields.tsx';
import { Card } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { Moment } from '../components/time.tsx';
import { UserName } from '../components/userName.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { withQuery } from '../kit/formData.ts';
import type { Visit } from '../kit/handler.ts';
import { linkPath } from '../kit/linkUrl.ts';
import { sentenceFor } from '../kit/messages.ts';
import { linkPage } from '../kit/secretLink.tsx';

const PATH = linkPath('invitation');
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
        {rich('organizations.invitation.text', {
          inviter: <UserName user={inviter} />,
          organization: <bdi>{organization.name}</bdi>,
        })}
      </p>
      <p>
        {rich('organizations.invitation.validity', {
          email: <strong>{invitation.email}</strong>,
          time: <Moment instant={invitation.expiresAt} />,
        })}
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
  return linkPage(visit, 'invitation', {
    title: t('organizations.invitation.title'),
    content,
    status,
    errors,
  });
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
      button={isInvited ? t('organizations.invitation.accept') : t('organizations.invitation.signOut')}
    >
      <input type="hidden" name="token" value={opened.token} />
      {isInvited ? (
        <p>{t('organizations.invitation.signedIn', { email })}</p>
      ) : (
        <p>
          {rich('organizations.invitation.otherAddress', {
            current: <strong>{signedIn.account.email}</strong>,
            email,
          })}
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
      <Card title={t('organizations.invitation.signIn')}>
        <p>{t('organizations.invitation.signInText')}</p>
        <LinkButton path={LOGIN}>{t('organizations.invitation.signInToAccept')}</LinkButton>
      </Card>
      <Card title={t('organizations.invitation.createAccount')}>
        <Form visit={visit} action={`${PATH}/account`} button={t('organizations.invitation.createAccount')}>
          <p>{t('organizations.invitation.createAccountText')}</p>
          <input type="hidden" name="token" value={opened.token} />
          <input type="hidden" name="username" value={opened.view.invitation.email} autocomplete="username" />
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

export function noLinkPage(visit: Visit) {
  const content = <p>{t('organizations.invitation.noLink')}</p>;
  return linkPage(visit, 'invitation', {
    title: t('organizations.invitation.title'),
    content,
    asksForLink: true,
  });
}

export function invalidInvitationPage(visit: Visit) {
  const content = (
    <>
      <p>{sentenceFor('invitation-unknown')}</p>
      <p>
        {rich('organizations.invitation.alreadyAccepted', {
          link: (text) => <a href="/portal/orgs">{text}</a>,
        })}
      </p>
    </>
  );
  const title = t('organizations.invitation.invalidTitle');
  return linkPage(visit, 'invitation', { title, content, status: 404, asksForLink: true });
}
