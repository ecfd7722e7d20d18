import type { Account } from '../../model/account.ts';
import type { OwnPassword } from '../../platform/authentication/ownPassword.ts';
import { CurrentPasswordField, NewPasswordField } from '../components/accountFields.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { rich, t } from '../i18n/t.tsx';
import { fieldErrorOf, fieldOf, sentenceFor } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/handler.ts';
import type { Interrupted } from '../kit/heldForms.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/pages.tsx';
import { linkPath, returnPathOf, SECURITY_PATH } from '../kit/paths.ts';
import { clearLink, linkPage, openedToken } from '../kit/secretLink.tsx';
import { type SignInRejection, signInRejectionOf, withSessionCookie } from '../kit/sessionStart.ts';
import { securityCrumbs } from './security.tsx';
import { InterruptedFields, interruptedIn } from './signIn.tsx';

/** Asks for the password before a sensitive action. */
export function showConfirm(visit: SignedInVisit) {
  return confirmPage(visit, { held: '', returnPath: returnPathOf(fieldOf(visit.query, 'return')) });
}

export async function confirm(visit: SignedInVisit, deps: PortalDeps) {
  const interrupted = interruptedIn(visit);
  const result = await deps.authentication.ownPassword.confirm(visit.actor, fieldOf(visit.form, 'password'));
  if (!result.ok) return confirmPage(visit, interrupted, confirmRejectionOf(result));
  const response = await deps.continueForm(visit, result.value, interrupted);
  return withSessionCookie(deps, result.value, response);
}

type Rejected<Name extends 'confirm' | 'change'> = Exclude<
  Awaited<ReturnType<OwnPassword[Name]>>,
  { readonly ok: true }
>;

function confirmRejectionOf(rejected: Rejected<'confirm'>): SignInRejection {
  if ('waitSeconds' in rejected) return signInRejectionOf(rejected, 'password');
  const { problem } = rejected;
  if (problem !== 'session-over') return signInRejectionOf({ ok: false, problem }, 'password');
  // The session ended while the password was checked. The next attempt asks the user to sign in.
  return { status: 409, errors: [{ text: t('account.confirm.sessionOver') }] };
}

/** The page that asks for the password. */
export function confirmPage(visit: SignedInVisit, interrupted: Interrupted, rejection: SignInRejection = {}) {
  const { errors = [] } = rejection;
  const { held, returnPath } = interrupted;
  const button = t('account.confirm.button');
  const content = (
    <Form visit={visit} action="/portal/confirm" button={button} cancelPath={returnPath}>
      <p>{t(held === '' ? 'account.confirm.reason' : 'account.confirm.reasonForm')}</p>
      <InterruptedFields interrupted={interrupted} />
      <input type="hidden" name="username" value={visit.signedIn.account.email} autocomplete="username" />
      <CurrentPasswordField name="password" label={t('account.fields.password')} errors={errors} />
    </Form>
  );
  return page(visit, { title: t('account.confirm.title'), content, ...rejection });
}

/** Requires the current password; all other sessions end. */
export async function changePassword(visit: SignedInVisit, deps: PortalDeps) {
  const { form: fields, actor } = visit;
  const given = { current: fieldOf(fields, 'current'), password: fieldOf(fields, 'password') };
  const changed = await deps.authentication.ownPassword.change(actor, given);
  if (changed.ok) {
    const notice = t('account.passwordChange.changed');
    return withSessionCookie(deps, changed.value, redirectWithNotice(deps, SECURITY_PATH, notice));
  }
  const rejection = changeRejectionOf(changed);
  // The session ended while the password was hashed.
  return rejection === undefined ? redirectTo('/portal/login') : showPassword(visit, deps, rejection);
}

function changeRejectionOf(rejected: Rejected<'change'>): SignInRejection | undefined {
  if ('waitSeconds' in rejected) return signInRejectionOf(rejected, 'current');
  const { problem } = rejected;
  if (problem === 'session-over') return undefined;
  return signInRejectionOf({ ok: false, problem }, problem === 'password-wrong' ? 'current' : 'password');
}

export function showPassword(visit: SignedInVisit, _: PortalDeps, rejection: SignInRejection = {}) {
  const { errors = [] } = rejection;
  const button = t('account.passwordChange.button');
  const content = (
    <Form visit={visit} action={`${SECURITY_PATH}/password`} button={button} cancelPath={SECURITY_PATH}>
      <input type="hidden" name="username" value={visit.signedIn.account.email} autocomplete="username" />
      <CurrentPasswordField errors={errors} />
      <NewPasswordField label={t('account.fields.newPassword')} errors={errors} />
      <p>{t('account.passwordChange.others')}</p>
    </Form>
  );
  const title = t('account.passwordChange.title');
  return page(visit, { title, breadcrumbs: securityCrumbs(), content, ...rejection });
}

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

function choosePage(visit: Visit, { email }: Account, token: string, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action={PATH} button={t('account.passwordLink.button')}>
      <p>{rich('account.passwordLink.signInAs', { email })}</p>
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
  const title = t('account.passwordLink.title');
  const content = (
    <>
      <p>{sentenceFor('password-link-unknown')}</p>
      <p>
        <a href="/portal/login">{t('account.passwordLink.toSignIn')}</a>
      </p>
    </>
  );
  return linkPage(visit, 'password', { title, content, status: 404, asksForLink: true });
}
