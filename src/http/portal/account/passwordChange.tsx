import type { OwnPassword } from '../../../platform/authentication/ownPassword.ts';
import { CurrentPasswordField, NewPasswordField } from '../components/accountFields.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf, withSessionCookie } from '../kit/sessionStart.ts';
import { SECURITY_PATH, securityCrumbs } from './security.tsx';

/** Requires the current password; all other sessions end. */
export async function changePassword(visit: SignedInVisit, deps: PortalDeps) {
  const { form: fields, actor } = visit;
  const given = { current: fieldOf(fields, 'current'), password: fieldOf(fields, 'password') };
  const changed = await deps.authentication.ownPassword.change(actor, given);
  if (changed.ok) {
    const notice = t('account.passwordChange.changed');
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
    <Form
      visit={visit}
      action={`${SECURITY_PATH}/password`}
      button={t('account.passwordChange.button')}
      cancelPath={SECURITY_PATH}
    >
      <input type="hidden" name="username" value={visit.signedIn.account.email} autocomplete="username" />
      <CurrentPasswordField errors={errors} />
      <NewPasswordField label={t('account.fields.newPassword')} errors={errors} />
      <p>{t('account.passwordChange.others')}</p>
    </Form>
  );
  return page(visit, {
    title: t('account.passwordChange.title'),
    breadcrumbs: securityCrumbs(),
    content,
    ...rejection,
  });
}
