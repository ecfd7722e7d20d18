import type { OwnPassword } from '../../../platform/authentication/ownPassword.ts';
import { CurrentPasswordField, NewPasswordField } from '../components/accountFields.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, withSessionCookie } from '../kit/sessionStart.ts';
import { SECURITY_PATH, SecurityBreadcrumbs } from './security.tsx';

/** Requires the current password; all other sessions end. */
export async function changePassword(visit: SignedInVisit, deps: PortalDeps) {
  const { form: fields, actor } = visit;
  const given = { current: fieldOf(fields, 'current'), password: fieldOf(fields, 'password') };
  const changed = await deps.authentication.ownPassword.change(actor, given);
  if (changed.ok) {
    const notice = 'Your password was changed. All other sessions were ended.';
    return withSessionCookie(deps, changed.value, redirectWithNotice(deps, SECURITY_PATH, notice));
  }
  const rejection = rejectionOf(changed);
  // The session ended while the password was hashed.
  return rejection === undefined ? redirectTo('/portal/login') : showPassword(visit, deps, rejection);
}

type Rejected = Exclude<Awaited<ReturnType<OwnPassword['change']>>, { readonly ok: true }>;

function rejectionOf(rejected: Rejected): SignInRejection | undefined {
  if ('waitSeconds' in rejected) return signInRejectionOf(rejected, 'current');
  const { problem } = rejected;
  if (problem === 'session-over') return undefined;
  return signInRejectionOf({ ok: false, problem }, problem === 'password-wrong' ? 'current' : 'password');
}

export function showPassword(visit: SignedInVisit, _: PortalDeps, rejection: SignInRejection = {}) {
  const { errors = [] } = rejection;
  const content = (
    <>
      <SecurityBreadcrumbs />
      <Form
        visit={visit}
        action={`${SECURITY_PATH}/password`}
        button="Change password"
        cancelPath={SECURITY_PATH}
      >
        <input type="hidden" name="username" value={visit.signedIn.account.email} autocomplete="username" />
        <CurrentPasswordField errors={errors} />
        <NewPasswordField label="New password" errors={errors} />
        <p>This signs you out of all other browsers.</p>
      </Form>
    </>
  );
  return page(visit, { title: 'Change password', content, ...rejection });
}
