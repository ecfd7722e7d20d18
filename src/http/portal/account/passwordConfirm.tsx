import { CurrentPasswordField } from '../components/accountFields.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, withSessionCookie } from '../kit/sessionStart.ts';

/** Asks for the password before a sensitive action. */
export function showConfirm(visit: SignedInVisit) {
  return confirmPage(visit, returnPathOf(fieldOf(visit.query, 'return')));
}

export async function confirm(visit: SignedInVisit, deps: PortalDeps) {
  const returnPath = returnPathOf(fieldOf(visit.form, 'return'));
  const result = await deps.authentication.ownPassword.confirm(visit.actor, fieldOf(visit.form, 'password'));
  if (result.ok) return withSessionCookie(deps, result.value, redirectTo(returnPath));
  if (result.problem === 'session-over') return redirectTo('/portal/login');
  return confirmPage(visit, returnPath, signInRejectionOf(result, 'password'));
}

function confirmPage(visit: SignedInVisit, returnPath: string, rejection: SignInRejection = {}) {
  const { errors = [] } = rejection;
  const content = (
    <Form visit={visit} action="/portal/confirm" button="Continue">
      <p>Enter your password to continue. You will not be asked again for 15 minutes.</p>
      <input type="hidden" name="return" value={returnPath} />
      <input type="hidden" name="username" value={visit.signedIn.account.email} autocomplete="username" />
      <CurrentPasswordField name="password" label="Password" errors={errors} />
    </Form>
  );
  return page(visit, { title: 'Confirm your password', content, ...rejection });
}
