import type { PortalDeps } from '../kit/portalDeps.ts';
import { redirectWithNotice } from '../kit/responses.tsx';
import type { SignedInVisit } from '../kit/visit.ts';

/** `POST /portal/logout`. */
export async function signOut({ actor }: SignedInVisit, deps: PortalDeps): Promise<Response> {
  await deps.authentication.sessions.end(actor, actor.session.id);
  const response = redirectWithNotice(deps, '/portal/login', 'You are signed out.');
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}
