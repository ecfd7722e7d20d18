import type { SignedIn } from '../../../model/session.ts';
import { Field } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import type { Interrupted } from '../kit/formContinuation.ts';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, startSession } from '../kit/sessionStart.ts';
import { InterruptedFields, interruptedIn } from './interruptedForm.tsx';

export const SIGN_IN_CODE_PATH = '/portal/login/code';

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
  const result = await deps.authentication.signIn.withCode(
    awaiting,
    fieldOf(visit.form, 'code'),
    visit.clientInfo,
  );
  if (!result.ok) return codePage(visit, interrupted, signInRejectionOf(result, 'code'));
  const response = await deps.continueForm(visit, result.value, interrupted);
  return startSession(visit, deps, result.value, response);
}

/** @returns the session that awaits a code: the password was correct; undefined if there is none */
async function awaitingIn(
  { request }: Visit,
  { cookies, authentication }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(request);
  return session === undefined ? undefined : authentication.sessions.openAwaiting(session);
}

/** The page that asks for the code. */
export function codePage(visit: Visit, interrupted: Interrupted, rejection: SignInRejection = {}): Response {
  const { errors = [] } = rejection;
  const content = (
    <>
      <Form visit={visit} action={SIGN_IN_CODE_PATH} button={t('account.code.button')}>
        <InterruptedFields interrupted={interrupted} />
        <Field
          name="code"
          label={t('account.code.label')}
          help={t('account.code.help')}
          autocomplete="one-time-code"
          isLiteral
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
