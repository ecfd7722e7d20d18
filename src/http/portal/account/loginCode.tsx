import { html } from '../../../lib/html.ts';
import type { SignedIn } from '../../../model/session.ts';
import { field, form, submit } from '../components/parts.tsx';
import { fieldOf, returnPathOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, Visit } from '../kit/route.ts';
import { enter, type SignInRejection, signInRejectionOf, withRetry } from '../kit/sessionStart.ts';

/** `GET /portal/login/code`: the second step. */
export async function showCode(visit: Visit, deps: PortalDeps): Promise<Response> {
  const awaiting = await awaitingIn(visit, deps);
  const back = returnPathOf(fieldOf(visit.query, 'return'));
  return awaiting === undefined ? redirectTo('/portal/login') : codePage(visit, back);
}

/** `POST /portal/login/code`. */
export async function giveCode(visit: Visit, deps: PortalDeps): Promise<Response> {
  const awaiting = await awaitingIn(visit, deps);
  if (awaiting === undefined) return redirectTo('/portal/login');
  const back = returnPathOf(fieldOf(visit.form, 'return'));
  const ending = await deps.authentication.signIn.withCode(
    awaiting,
    fieldOf(visit.form, 'code'),
    visit.clientInfo,
  );
  if (ending.ok) return enter(visit, deps, ending.value, back);
  const refusal = signInRejectionOf(ending, 'code');
  return withRetry(codePage(visit, back, refusal), refusal);
}

/** Whose password was right in this browser a moment ago. */
async function awaitingIn(
  { request }: Visit,
  { cookies, authentication }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(request);
  return session === undefined ? undefined : authentication.sessions.openAwaiting(session);
}

function codePage(visit: Visit, back: string, refusal?: SignInRejection): Response {
  const { status = 200, mistakes = [] } = refusal ?? {};
  const help = 'Six digits from your app, or one of your recovery codes.';
  const code = { name: 'code', label: 'Code', help, autocomplete: 'one-time-code', isLiteral: true } as const;
  const content = html`<input type="hidden" name="return" value="${back}">
${field({ ...code, isFocused: mistakes.length === 0 }, mistakes)}${submit('Sign in')}`;
  const body = html`${form({ visit, action: '/portal/login/code', content })}
<details>
<summary>Lost both?</summary>
<p>The operator of this server can turn off two-factor authentication for you:</p>
<pre>postern users reset-2fa --email YOU@EXAMPLE.COM</pre>
</details>`;
  return page(visit, { title: 'Enter your code', content: body, status, mistakes });
}
