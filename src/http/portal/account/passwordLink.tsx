import type { Account } from '../../../model/account.ts';
import { userPath } from '../admin/userList.tsx';
import { NewPasswordField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/handler.ts';
import { fieldErrorOf, sentenceFor } from '../kit/messages.ts';
import { notFound, page, redirectWithNotice } from '../kit/responses.tsx';
import { clearLink, linkPage, linkPath, linkTo, openedToken } from '../kit/secretLink.tsx';

const PATH = linkPath('password');
const TITLE = 'Choose a password';

/** Shows the form for the password after a link was opened. */
export async function showChoosePassword(visit: Visit, deps: PortalDeps) {
  const token = openedToken(visit, deps, 'password');
  if (token === '') return noLinkPage(visit);
  const account = await deps.authentication.passwordLinks.open(token);
  return account === undefined ? invalidLinkPage(visit) : choosePage(visit, account, token);
}

export async function choosePassword(visit: Visit, deps: PortalDeps) {
  const token = fieldOf(visit.form, 'token');
  const { passwordLinks } = deps.authentication;
  const used = await passwordLinks.use(token, fieldOf(visit.form, 'password'), visit.clientInfo);
  if (used.ok) {
    const notice = 'Your password was set. Sign in with it.';
    return clearLink(deps, redirectWithNotice(deps, '/portal/login', notice));
  }
  const account = await passwordLinks.open(token);
  if (used.problem === 'password-link-unknown' || account === undefined) return invalidLinkPage(visit);
  return choosePage(visit, account, token, [fieldErrorOf(used.problem)]);
}

/** Creates a password link for a user, and shows it to the administrator. */
export async function newPasswordLinkPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  { id, email }: Account,
  title: string,
) {
  const issued = await deps.authentication.passwordLinks.issue(visit.actor, id);
  if (!issued.ok) return notFound(visit);
  const content = (
    <section class="card">
      <p>
        Send this link to <strong>{email}</strong> over a private channel: anyone who has the link can choose
        the password of this user. The link works once. It expires after three days, or as soon as the
        password changes in another way.
      </p>
      <Copyable id="link" text={linkTo(deps.baseUrl, 'password', issued.value)} label="Copy link" />
      <LinkButton path={userPath(deps, id)}>Go to user</LinkButton>
    </section>
  );
  return page(visit, { title, content });
}

function choosePage(visit: Visit, { email }: Account, token: string, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action={PATH} button="Set password">
      <p>
        You sign in as <strong>{email}</strong> with this password.
      </p>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="username" value={email} autocomplete="username" />
      <NewPasswordField label="Password" errors={errors} />
    </Form>
  );
  return linkPage(visit, 'password', { title: TITLE, content, errors });
}

function noLinkPage(visit: Visit) {
  const content = <p>To choose a password, open the link that an administrator sent you.</p>;
  return linkPage(visit, 'password', { title: TITLE, content, asksForLink: true });
}

function invalidLinkPage(visit: Visit) {
  const content = (
    <>
      <p>{sentenceFor('password-link-unknown')}</p>
      <p>
        <a href="/portal/login">Go to the sign-in page</a>
      </p>
    </>
  );
  return linkPage(visit, 'password', { title: TITLE, content, status: 404, asksForLink: true });
}
