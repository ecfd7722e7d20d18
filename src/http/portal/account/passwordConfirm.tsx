import { html } from '../../../lib/html.ts';
import { field, form, submit } from '../components/parts.tsx';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { renewed, type SignInRejection, signInRejectionOf, withRetry } from '../kit/sessionStart.ts';

/** `GET /portal/confirm`: the password again, before a sensitive act. */
export function showConfirm(visit: SignedInVisit): Response {
  return confirmPage(visit, returnPathOf(fieldOf(visit.query, 'return')));
}

/** `POST /portal/confirm`. */
export async function confirm(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const back = returnPathOf(fieldOf(visit.form, 'return'));
  const ending = await deps.authentication.signIn.confirm(
    visit.who,
    fieldOf(visit.form, 'password'),
    visit.clientInfo,
  );
  if (ending.ok) return renewed(deps, ending.value, redirectTo(back));
  if (ending.problem === 'session-over') return redirectTo('/portal/login');
  const refusal = signInRejectionOf(ending, 'password');
  return withRetry(confirmPage(visit, back, refusal), refusal);
}

function confirmPage(visit: SignedInVisit, back: string, refusal?: SignInRejection): Response {
  const { status = 200, mistakes = [] } = refusal ?? {};
  const password = { name: 'password', label: 'Password', type: 'password' } as const;
  const content = html`<p>What you are about to do needs your password again. It then holds for 15 minutes.</p>
<input type="hidden" name="return" value="${back}">
<input type="hidden" name="username" value="${visit.who.account.email}" autocomplete="username">
${field({ ...password, autocomplete: 'current-password', isFocused: mistakes.length === 0 }, mistakes)}${submit('Continue')}`;
  const body = form({ visit, action: '/portal/confirm', content });
  return page(visit, { title: 'Confirm that it is you', content: body, status, mistakes });
}
