import { t } from '../i18n/t.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { redirectWithNotice } from '../kit/responses.tsx';

export async function signOut({ actor }: SignedInVisit, deps: PortalDeps) {
  await deps.authentication.sessions.end(actor, actor.session.id);
  const response = redirectWithNotice(deps, '/portal/login', t('account.signedOut'));
  response.headers.append('Set-Cookie', deps.cookies.clear('session'));
  return response;
}
