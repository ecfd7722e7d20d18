import { CurrentPasswordField, EmailField } from '../components/accountFields.tsx';
import { Form } from '../components/form.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { Interrupted } from '../kit/formContinuation.ts';
import { fieldOf, returnPathOf, withQuery } from '../kit/formData.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, startSession } from '../kit/sessionStart.ts';
import { FORGOT_PASSWORD_PATH } from './forgotPassword.tsx';
import { InterruptedFields, interruptedIn } from './interruptedForm.tsx';
import { codePage, SIGN_IN_CODE_PATH } from './signInCode.tsx';

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
        <p class="notice" role="status">
          {rich('account.signIn.kept', { strong: (text) => <strong>{text}</strong> })}
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
