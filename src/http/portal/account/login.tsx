import { html } from '../../../lib/html.ts';
import { field, form, submit } from '../components/parts.tsx';
import { fieldOf, returnPathOf, withQuery } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, Visit } from '../kit/route.ts';
import { enter, type SignInRejection, signInRejectionOf, withRetry } from '../kit/sessionStart.ts';

/** `GET /portal/login`. */
export async function showLogin(visit: Visit, deps: PortalDeps): Promise<Response> {
  const { session } = deps.cookies.read(visit.request);
  const back = returnPathOf(fieldOf(visit.query, 'return'));
  if (session !== undefined && (await deps.authentication.sessions.open(session, visit.clientInfo)))
    return redirectTo(back);
  if (await deps.authentication.setup.isOpen()) return redirectTo('/portal/setup');
  return loginPage(visit, { email: '', back });
}

/** `POST /portal/login`. */
export async function logIn(visit: Visit, deps: PortalDeps): Promise<Response> {
  const email = fieldOf(visit.form, 'email');
  const back = returnPathOf(fieldOf(visit.form, 'return'));
  const given = { email, password: fieldOf(visit.form, 'password') };
  const ending = await deps.authentication.signIn.withPassword(given, visit.clientInfo);
  if (!ending.ok) {
    const refusal = signInRejectionOf(ending, 'email');
    return withRetry(loginPage(visit, { email, back }, refusal), refusal);
  }
  const next = ending.value.session.awaitsCode ? withQuery('/portal/login/code', { return: back }) : back;
  return enter(visit, deps, ending.value, next);
}

type Typed = { readonly email: string; readonly back: string };

function loginPage(visit: Visit, { email, back }: Typed, refusal?: SignInRejection): Response {
  const { status = 200, mistakes = [] } = refusal ?? {};
  const isFirst = mistakes.length === 0;
  const address = { name: 'email', label: 'E-mail address', type: 'email', value: email } as const;
  const password = { name: 'password', label: 'Password', type: 'password' } as const;
  const content = html`<input type="hidden" name="return" value="${back}">
${field({ ...address, autocomplete: 'username', isLiteral: true, isFocused: isFirst }, mistakes)}${field(
  { ...password, autocomplete: 'current-password' },
  mistakes,
)}${submit('Sign in')}`;
  const body = form({ visit, action: '/portal/login', content });
  return page(visit, { title: 'Sign in', content: body, status, mistakes });
}
