import { html } from '../../lib/html.ts';
import type { SignedIn } from '../../model/session.ts';
import { redirectTo } from './answers.ts';
import { type DoorRefusal, doorRefusalOf, enter, withRetry } from './entrance.ts';
import { fieldOf, returnPathOf } from './form.ts';
import { page } from './layout.ts';
import { field, form, submit } from './parts.ts';
import type { PortalDeps, Visit } from './route.ts';

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
  const ending = await deps.people.signIn.withCode(awaiting, fieldOf(visit.form, 'code'), visit.whence);
  if (ending.ok) return enter(visit, deps, ending.value, back);
  const refusal = doorRefusalOf(ending, 'code');
  return withRetry(codePage(visit, back, refusal), refusal);
}

/** Whose password was right in this browser a moment ago. */
async function awaitingIn(
  { request }: Visit,
  { cookies, people }: PortalDeps,
): Promise<SignedIn | undefined> {
  const { session } = cookies.read(request);
  return session === undefined ? undefined : people.sessions.openAwaiting(session);
}

function codePage(visit: Visit, back: string, refusal?: DoorRefusal): Response {
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
