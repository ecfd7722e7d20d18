import { CurrentPasswordField, EmailField } from '../components/accountFields.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf, returnPathOf, withQuery } from '../kit/formData.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, startSession } from '../kit/sessionStart.ts';

export async function showSignIn(visit: Visit, deps: PortalDeps) {
  const { session } = deps.cookies.read(visit.request);
  const returnPath = returnPathOf(fieldOf(visit.query, 'return'));
  if (session !== undefined && (await deps.authentication.sessions.open(session, visit.clientInfo)))
    return redirectTo(returnPath);
  if (await deps.authentication.setup.isOpen()) return redirectTo('/portal/setup');
  return signInPage(visit, { email: '', returnPath });
}

export async function signIn(visit: Visit, deps: PortalDeps) {
  const email = fieldOf(visit.form, 'email');
  const returnPath = returnPathOf(fieldOf(visit.form, 'return'));
  const given = { email, password: fieldOf(visit.form, 'password') };
  const result = await deps.authentication.signIn.withPassword(given, visit.clientInfo);
  if (!result.ok) return signInPage(visit, { email, returnPath }, signInRejectionOf(result, 'email'));
  const { awaitsCode } = result.value.session;
  const next = awaitsCode ? withQuery('/portal/login/code', { return: returnPath }) : returnPath;
  return startSession(visit, deps, result.value, next);
}

type Typed = { readonly email: string; readonly returnPath: string };

function signInPage(visit: Visit, { email, returnPath }: Typed, rejection: SignInRejection = {}) {
  const { errors = [] } = rejection;
  const content = (
    <Form visit={visit} action="/portal/login" button="Sign in">
      <input type="hidden" name="return" value={returnPath} />
      <EmailField value={email} autocomplete="username" errors={errors} />
      <CurrentPasswordField name="password" label="Password" isFocused={false} errors={errors} />
    </Form>
  );
  return page(visit, { title: 'Sign in', content, ...rejection });
}
