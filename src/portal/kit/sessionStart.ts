import { sessionActor } from '../../model/session.ts';
import type { Throttled } from '../../platform/authentication/passwordCheck.ts';
import type { StartedSession } from '../../platform/authentication/sessions.ts';
import { errorOf, type PageProblem, throttledError } from './forms.ts';
import type { PortalDeps, Visit } from './handler.ts';
import type { Page } from './layout.tsx';

/** Ends the browser's previous session, and adds the cookie of the new one to a response. */
export async function startSession(
  visit: Visit,
  deps: PortalDeps,
  started: StartedSession,
  response: Response,
): Promise<Response> {
  const before = deps.cookies.read(visit.request).session;
  const { sessions } = deps.authentication;
  if (before !== undefined) {
    const old = (await sessions.open(before, visit.clientInfo)) ?? (await sessions.openAwaiting(before));
    if (old !== undefined) await sessions.end(sessionActor(old, visit.clientInfo), old.session.id);
  }
  return withSessionCookie(deps, started, response);
}

/** Sends the new secret of the session to the browser. */
export function withSessionCookie({ cookies }: PortalDeps, { secret }: StartedSession, response: Response) {
  response.headers.append('Set-Cookie', cookies.write('session', secret));
  return response;
}

/** The response to a rejected password or code, for the page that asks for it. */
export type SignInRejection = Pick<Page, 'status' | 'errors' | 'retryAfter'>;

/** @param field of the form that the problem is about */
export function signInRejectionOf(
  rejected: Throttled | { readonly ok: false; readonly problem: PageProblem },
  field: string,
): SignInRejection {
  if ('waitSeconds' in rejected) {
    return { status: 429, errors: [throttledError(rejected.waitSeconds)], retryAfter: rejected.waitSeconds };
  }
  if (rejected.problem === 'passwords-busy')
    return { status: 503, errors: [errorOf(rejected.problem)], retryAfter: 1 };
  return { status: 422, errors: [errorOf(rejected.problem, field)] };
}
