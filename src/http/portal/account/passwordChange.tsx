import { html } from '../../../lib/html.ts';
import type { SignIn } from '../../../platform/signIn.ts';
import { form, submit } from '../components/parts.tsx';
import { actOrCancel } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { redirectSaying, redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { renewed, type SignInRejection, signInRejectionOf, withRetry } from '../kit/sessionStart.ts';
import { currentPassword, newPassword } from '../onboarding/setup.tsx';
import { SECURITY_CRUMBS, SECURITY_PATH } from './security.tsx';

/** `GET /portal/settings/security/password`. */
export function showPassword(visit: SignedInVisit): Response {
  return passwordPage(visit);
}

/** `POST /portal/settings/security/password`: requires the current password; all other sessions end. */
export async function changePassword(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { form: fields, who, clientInfo } = visit;
  const given = { current: fieldOf(fields, 'current'), password: fieldOf(fields, 'password') };
  const changed = await deps.authentication.signIn.changePassword(who, given, clientInfo);
  if (changed.ok) {
    const said = 'The password was changed, and all other sessions were ended.';
    return renewed(deps, changed.value, redirectSaying(deps, SECURITY_PATH, said));
  }
  const refusal = refusalOf(changed);
  // The session ended while the password was hashed.
  if (refusal === undefined) return redirectTo('/portal/login');
  return withRetry(passwordPage(visit, refusal), refusal);
}

type Refused = Exclude<Awaited<ReturnType<SignIn['changePassword']>>, { readonly ok: true }>;

function refusalOf(refused: Refused): SignInRejection | undefined {
  if ('waitSeconds' in refused) return signInRejectionOf(refused, 'current');
  const { problem } = refused;
  if (problem === 'session-over') return undefined;
  return signInRejectionOf({ ok: false, problem }, problem === 'password-wrong' ? 'current' : 'password');
}

function passwordPage(visit: SignedInVisit, refusal?: SignInRejection): Response {
  const { status = 200, mistakes = [] } = refusal ?? {};
  const { email } = visit.who.account;
  const content = html`<input type="hidden" name="username" value="${email}" autocomplete="username">
${currentPassword(mistakes)}${newPassword('New password', mistakes)}<p>Every other browser that is signed in to this account is signed out.</p>
${actOrCancel(submit('Change the password'), SECURITY_PATH)}`;
  const body = html`${SECURITY_CRUMBS}${form({ visit, action: `${SECURITY_PATH}/password`, content })}`;
  return page(visit, { title: 'Change the password', content: body, status, mistakes });
}
