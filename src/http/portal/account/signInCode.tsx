import type { SignedIn } from '../../../model/session.ts';
import { Field } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, startSession } from '../kit/sessionStart.ts';

/** The code from the authenticator app, or a recovery code. */
export async function showSignInCode(visit: Visit, deps: PortalDeps) {
  const awaiting = await awaitingIn(visit, deps);
  const returnPath = returnPathOf(fieldOf(visit.query, 'return'));
  return awaiting === undefined ? redirectTo('/portal/login') : codePage(visit, returnPath);
}

export async function signInWithCode(visit: Visit, deps: PortalDeps) {
  const awaiting = await awaitingIn(visit, deps);
  if (awaiting === undefined) return redirectTo('/portal/login');
  const returnPath = returnPathOf(fieldOf(visit.form, 'return'));
  const result = await deps.authentication.signIn.withCode(
    awaiting,
    fieldOf(visit.form, 'code'),
    visit.clientInfo,
  );
  if (result.ok) return startSession(visit, deps, result.value, returnPath);
  return codePage(visit, returnPath, signInRejectionOf(result, 'code'));
}

/** @returns the session that awaits a code: the password was correct; undefined if there is none */
async function awaitingIn(
  { request }: Visit,
  { cookies, authentication }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(request);
  return session === undefined ? undefined : authentication.sessions.openAwaiting(session);
}

function codePage(visit: Visit, returnPath: string, rejection: SignInRejection = {}) {
  const { errors = [] } = rejection;
  const content = (
    <>
      <Form visit={visit} action="/portal/login/code" button="Sign in">
        <input type="hidden" name="return" value={returnPath} />
        <Field
          name="code"
          label="Code"
          help="The six digits from your authenticator app, or one of your recovery codes."
          autocomplete="one-time-code"
          isLiteral
          isFocused={errors.length === 0}
          errors={errors}
        />
      </Form>
      <details>
        <summary>Lost your phone and your recovery codes?</summary>
        <p>The operator of this server can turn off two-factor authentication for you:</p>
        <pre>postern users reset-2fa --email YOU@EXAMPLE.COM</pre>
      </details>
    </>
  );
  return page(visit, { title: 'Enter your code', content, ...rejection });
}
