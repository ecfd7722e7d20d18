import type { OwnPassword } from '../../../platform/authentication/ownPassword.ts';
import { CurrentPasswordField } from '../components/accountFields.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import type { Interrupted } from '../kit/formContinuation.ts';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, withSessionCookie } from '../kit/sessionStart.ts';
import { InterruptedFields, interruptedIn } from './interruptedForm.tsx';

/** Asks for the password before a sensitive action. */
export function showConfirm(visit: SignedInVisit) {
  return confirmPage(visit, { held: '', returnPath: returnPathOf(fieldOf(visit.query, 'return')) });
}

export async function confirm(visit: SignedInVisit, deps: PortalDeps) {
  const interrupted = interruptedIn(visit);
  const result = await deps.authentication.ownPassword.confirm(visit.actor, fieldOf(visit.form, 'password'));
  if (!result.ok) return confirmPage(visit, interrupted, rejectionOf(result));
  const response = await deps.continueForm(visit, result.value, interrupted);
  return withSessionCookie(deps, result.value, response);
}

type Rejected = Exclude<Awaited<ReturnType<OwnPassword['confirm']>>, { readonly ok: true }>;

function rejectionOf(rejected: Rejected): SignInRejection {
  if ('waitSeconds' in rejected) return signInRejectionOf(rejected, 'password');
  const { problem } = rejected;
  if (problem !== 'session-over') return signInRejectionOf({ ok: false, problem }, 'password');
  // The session ended while the password was checked. The next attempt asks the user to sign in.
  return { status: 409, errors: [{ text: t('account.confirm.sessionOver') }] };
}

/** The page that asks for the password. */
export function confirmPage(
  visit: SignedInVisit,
  interrupted: Interrupted,
  rejection: SignInRejection = {},
): Response {
  const { errors = [] } = rejection;
  const content = (
    <Form
      visit={visit}
      action="/portal/confirm"
      button={t('account.confirm.button')}
      cancelPath={interrupted.returnPath}
    >
      <p>{t(interrupted.held === '' ? 'account.confirm.reason' : 'account.confirm.reasonForm')}</p>
      <InterruptedFields interrupted={interrupted} />
      <input type="hidden" name="username" value={visit.signedIn.account.email} autocomplete="username" />
      <CurrentPasswordField name="password" label={t('account.fields.password')} errors={errors} />
    </Form>
  );
  return page(visit, { title: t('account.confirm.title'), content, ...rejection });
}
