import { CodeField, CurrentPasswordField, EmailField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Form } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { rich, t } from '../i18n/t.tsx';
import { fieldOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/handler.ts';
import { HELD_FIELD, type Interrupted } from '../kit/heldForms.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/pages.tsx';
import { returnPathOf, withQuery } from '../kit/paths.ts';
import { type SignInRejection, signInRejectionOf, startSession } from '../kit/sessionStart.ts';

const SIGN_IN_PATH = '/portal/login';

export async function showSignIn(visit: Visit, deps: PortalDeps) {
  const { session } = deps.cookies.read(visit.request);
  const returnPath = returnPathOf(fieldOf(visit.query, 'return'));
  if (session !== undefined && (await deps.authentication.sessions.open(session, visit.clientInfo)))
    return redirectTo(returnPath);
  if (await deps.authentication.setup.isOpen()) return redirectTo('/portal/setup');
  return signInPage(visit, { email: '', held: '', returnPath });
}

export async function signIn(visit: Visit, deps: PortalDeps) {
  const email = fieldOf(visit.form, 'email');
  const interrupted = interruptedIn(visit);
  const given = { email, password: fieldOf(visit.form, 'password') };
  const result = await deps.authentication.signIn.withPassword(given, visit.clientInfo);
  if (!result.ok) return signInPage(visit, { email, ...interrupted }, signInRejectionOf(result, 'email'));
  const response = result.value.session.awaitsCode
    ? toCode(visit, interrupted)
    : await deps.continueForm(visit, result.value, interrupted);
  return startSession(visit, deps, result.value, response);
}

/** The page that asks for the code. A redirect could not carry the held form. */
function toCode(visit: Visit, interrupted: Interrupted): Response {
  if (interrupted.held !== '') return codePage(visit, interrupted);
  return redirectTo(withQuery(SIGN_IN_CODE_PATH, { return: interrupted.returnPath }));
}

/** The page that asks for email address and password. */
export function signInPage(
  visit: Visit,
  { email, ...interrupted }: Interrupted & { readonly email: string },
  rejection: SignInRejection = {},
): Response {
  const { errors = [] } = rejection;
  const content = (
    <>
      {interrupted.held !== '' && (
        <p class="warning" role="status">
          {rich('account.signIn.kept')}
        </p>
      )}
      <Form visit={visit} action={SIGN_IN_PATH} button={t('account.signIn.button')}>
        <InterruptedFields interrupted={interrupted} />
        <EmailField value={email} autocomplete="username" errors={errors} />
        <CurrentPasswordField
          name="password"
          label={t('account.fields.password')}
          isFocused={false}
          errors={errors}
        />
      </Form>
      <p class="below">
        <a href={FORGOT_PASSWORD_PATH}>{t('account.signIn.forgot')}</a>
      </p>
    </>
  );
  return page(visit, { title: t('account.signIn.title'), content, ...rejection });
}

const SIGN_IN_CODE_PATH = '/portal/login/code';

/** The code from the authenticator app, or a recovery code. */
export async function showSignInCode(visit: Visit, deps: PortalDeps) {
  const awaiting = await awaitingIn(visit, deps);
  const returnPath = returnPathOf(fieldOf(visit.query, 'return'));
  return awaiting === undefined ? redirectTo('/portal/login') : codePage(visit, { held: '', returnPath });
}

export async function signInWithCode(visit: Visit, deps: PortalDeps) {
  const awaiting = await awaitingIn(visit, deps);
  if (awaiting === undefined) return redirectTo('/portal/login');
  const interrupted = interruptedIn(visit);
  const code = fieldOf(visit.form, 'code');
  const result = await deps.authentication.signIn.withCode(awaiting, code, visit.clientInfo);
  if (!result.ok) return codePage(visit, interrupted, signInRejectionOf(result, 'code'));
  const response = await deps.continueForm(visit, result.value, interrupted);
  return startSession(visit, deps, result.value, response);
}

/** @returns the session that awaits a code: the password was correct; undefined if there is none */
async function awaitingIn({ request }: Visit, { cookies, authentication }: PortalDeps) {
  const { session } = cookies.read(request);
  return session === undefined ? undefined : authentication.sessions.openAwaiting(session);
}

function codePage(visit: Visit, interrupted: Interrupted, rejection: SignInRejection = {}): Response {
  const { errors = [] } = rejection;
  const content = (
    <>
      <Form visit={visit} action={SIGN_IN_CODE_PATH} button={t('account.code.button')}>
        <InterruptedFields interrupted={interrupted} />
        <CodeField
          label={t('account.code.label')}
          help={t('account.code.help')}
          isFocused={errors.length === 0}
          errors={errors}
        />
      </Form>
      <details>
        <summary>{t('account.code.lost.summary')}</summary>
        <p>{t('account.code.lost.text')}</p>
        <pre>
          <code>postern users reset-2fa --email YOU@EXAMPLE.COM</code>
        </pre>
      </details>
    </>
  );
  return page(visit, { title: t('account.code.title'), content, ...rejection });
}

export async function signOut({ actor }: SignedInVisit, deps: PortalDeps) {
  await deps.authentication.sessions.end(actor, actor.session.id);
  const response = redirectWithNotice(deps, '/portal/login', t('account.signedOut'));
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}

const FORGOT_PASSWORD_PATH = '/portal/forgot-password';

/** Explains how a user gets a new password: the server sends no email. */
export function showForgotPassword(visit: Visit) {
  const content = (
    <>
      <Card title={t('account.forgot.users.title')}>
        <p>{t('account.forgot.users.text')}</p>
      </Card>
      <Card title={t('account.forgot.administrators.title')}>
        <p>{rich('account.forgot.administrators.portal', { link: '/portal/system/users' })}</p>
        <p>{t('account.forgot.administrators.command')}</p>
        <Copyable
          id="command"
          text="postern users passwd --email YOU@EXAMPLE.COM"
          label={t('account.forgot.administrators.copy')}
        />
      </Card>
      <p class="below">
        <a href="/portal/login">{t('account.forgot.back')}</a>
      </p>
    </>
  );
  return page(visit, { title: t('account.forgot.title'), content });
}

/** Hidden fields with what continues after the user has entered the password. */
export function InterruptedFields({ interrupted }: { readonly interrupted: Interrupted }) {
  const { held, returnPath } = interrupted;
  return (
    <>
      <input type="hidden" name="return" value={returnPath} />
      {held !== '' && <input type="hidden" name={HELD_FIELD} value={held} />}
    </>
  );
}

/** @returns what the fields of a form contain */
export function interruptedIn({ form }: Visit): Interrupted {
  return { held: fieldOf(form, HELD_FIELD), returnPath: returnPathOf(fieldOf(form, 'return')) };
}
