import { html } from '../../lib/html.ts';
import { redirectSaying, redirectTo } from './answers.ts';
import { renewed } from './entrance.ts';
import { fieldOf } from './form.ts';
import { page } from './layout.ts';
import { form, type Mistake, submit } from './parts.ts';
import type { PortalDeps, SignedInVisit } from './route.ts';
import { actOrCancel } from './rows.ts';
import { SECURITY_CRUMBS, SECURITY_PATH } from './security.ts';
import { mistakeOf } from './sentences.ts';
import { newPassword } from './setUp.ts';

/** `GET /portal/settings/security/password`. */
export function showPassword(visit: SignedInVisit): Response {
  return passwordPage(visit);
}

/** `POST /portal/settings/security/password`: another password; all other sessions end. */
export async function changePassword(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const password = fieldOf(visit.form, 'password');
  const changed = await deps.people.signIn.changePassword(visit.who, password, visit.whence);
  if (changed.ok) {
    const said = 'The password was changed, and all other sessions were ended.';
    return renewed(deps, changed.value, redirectSaying(deps, SECURITY_PATH, said));
  }
  // Somebody has ended it while this one was hashed.
  if (changed.problem === 'session-over') return redirectTo('/portal/login');
  return passwordPage(visit, [mistakeOf(changed.problem, 'password')]);
}

function passwordPage(visit: SignedInVisit, mistakes: readonly Mistake[] = []): Response {
  const { email } = visit.who.account;
  const content = html`<input type="hidden" name="username" value="${email}" autocomplete="username">
${newPassword('New password', mistakes)}<p>Every other browser that is signed in to this account is signed out.</p>
${actOrCancel(submit('Change the password'), SECURITY_PATH)}`;
  const body = html`${SECURITY_CRUMBS}${form({ visit, action: `${SECURITY_PATH}/password`, content })}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: 'Change the password', content: body, status, mistakes });
}
