import { html } from '../../lib/html.ts';
import type { SignIn } from '../../platform/signIn.ts';
import { redirectSaying, redirectTo } from './answers.ts';
import { type DoorRefusal, doorRefusalOf, renewed, withRetry } from './entrance.ts';
import { fieldOf } from './form.ts';
import { page } from './layout.ts';
import { form, submit } from './parts.ts';
import type { PortalDeps, SignedInVisit } from './route.ts';
import { actOrCancel } from './rows.ts';
import { SECURITY_CRUMBS, SECURITY_PATH } from './security.ts';
import { currentPassword, newPassword } from './setUp.ts';

/** `GET /portal/settings/security/password`. */
export function showPassword(visit: SignedInVisit): Response {
  return passwordPage(visit);
}

/** `POST /portal/settings/security/password`: requires the current password; all other sessions end. */
export async function changePassword(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { form: fields, who, whence } = visit;
  const given = { current: fieldOf(fields, 'current'), password: fieldOf(fields, 'password') };
  const changed = await deps.people.signIn.changePassword(who, given, whence);
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

function refusalOf(refused: Refused): DoorRefusal | undefined {
  if ('waitSeconds' in refused) return doorRefusalOf(refused, 'current');
  const { problem } = refused;
  if (problem === 'session-over') return undefined;
  return doorRefusalOf({ ok: false, problem }, problem === 'password-wrong' ? 'current' : 'password');
}

function passwordPage(visit: SignedInVisit, refusal?: DoorRefusal): Response {
  const { status = 200, mistakes = [] } = refusal ?? {};
  const { email } = visit.who.account;
  const content = html`<input type="hidden" name="username" value="${email}" autocomplete="username">
${currentPassword(mistakes)}${newPassword('New password', mistakes)}<p>Every other browser that is signed in to this account is signed out.</p>
${actOrCancel(submit('Change the password'), SECURITY_PATH)}`;
  const body = html`${SECURITY_CRUMBS}${form({ visit, action: `${SECURITY_PATH}/password`, content })}`;
  return page(visit, { title: 'Change the password', content: body, status, mistakes });
}
