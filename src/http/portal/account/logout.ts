import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

/** `POST /portal/logout`. */
export async function logOut({ who, clientInfo }: SignedInVisit, deps: PortalDeps): Promise<Response> {
  await deps.authentication.sessions.end(who, who.session.id, clientInfo);
  const response = redirectSaying(deps, '/portal/login', 'You are signed out.');
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}
