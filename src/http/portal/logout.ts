import { redirectSaying } from './answers.ts';
import type { PortalDeps, SignedInVisit } from './route.ts';

/** `POST /portal/logout`. */
export async function logOut({ who, whence }: SignedInVisit, deps: PortalDeps): Promise<Response> {
  await deps.people.sessions.end(who, who.session.id, whence);
  const response = redirectSaying(deps, '/portal/login', 'You are signed out.');
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}
