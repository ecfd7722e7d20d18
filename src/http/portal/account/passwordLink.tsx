import type { Account } from '../../../model/account.ts';
import { userPath } from '../admin/userList.tsx';
import { NewPasswordField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form, LinkButton } from '../components/form.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/handler.ts';
import { linkPath, linkTo } from '../kit/linkUrl.ts';
import { fieldErrorOf, sentenceFor } from '../kit/messages.ts';
import { notFound, page, redirectWithNotice } from '../kit/responses.tsx';
import { clearLink, linkPage, openedToken } from '../kit/secretLink.tsx';

const PATH = linkPath('password');

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
    const notice = t('account.passwordLink.set');
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
        {rich('account.passwordLink.created.send', {
          email,
          strong: (text) => (
            <strong>
              <bdi>{text}</bdi>
            </strong>
          ),
        })}
      </p>
      <p>{t('account.passwordLink.created.limits')}</p>
      <Copyable
        id="link"
        text={linkTo(deps.baseUrl, 'password', issued.value)}
        label={t('account.passwordLink.created.copy')}
      />
      <LinkButton path={userPath(deps, id)}>{t('account.passwordLink.created.toUser')}</LinkButton>
    </section>
  );
  return page(visit, { title, content });
}

function choosePage(visit: Visit, { email }: Account, token: string, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action={PATH} button={t('account.passwordLink.button')}>
      <p>{rich('account.passwordLink.signInAs', { email, strong: (text) => <strong>{text}</strong> })}</p>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="username" value={email} autocomplete="username" />
      <NewPasswordField label={t('account.fields.password')} errors={errors} />
    </Form>
  );
  return linkPage(visit, 'password', { title: t('account.passwordLink.title'), content, errors });
}

function noLinkPage(visit: Visit) {
  const content = <p>{t('account.passwordLink.noLink')}</p>;
  return linkPage(visit, 'password', { title: t('account.passwordLink.title'), content, asksForLink: true });
}

function invalidLinkPage(visit: Visit) {
  const content = (
    <>
      <p>{sentenceFor('password-link-unknown')}</p>
      <p>
        <a href="/portal/login">{t('account.passwordLink.toSignIn')}</a>
      </p>
    </>
  );
  return linkPage(visit, 'password', {
    title: t('account.passwordLink.title'),
    content,
    status: 404,
    asksForLink: true,
  });
}
