import { type Html, html } from '../../../lib/html.ts';
import type { Session } from '../../../model/session.ts';
import type { SecondFactorState } from '../../../platform/twoFactor.ts';
import { addressName } from '../components/addressName.ts';
import { card, form, moment, submit, table } from '../components/parts.tsx';
import { page } from '../kit/layout.tsx';
import { crumbs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import { isOwn, type PortalDeps, type SessionVisit, type SignedInVisit } from '../kit/route.ts';
import { browserName } from './browserName.ts';

export const SECURITY_PATH = '/portal/settings/security';

/** Setting up two-factor authentication, and turning it off. */
export const FACTOR_PATH = `${SECURITY_PATH}/second-factor`;

/** The way back from the pages below it. */
export const SECURITY_CRUMBS = crumbs([[SECURITY_PATH, 'Security']]);

/** `GET /portal/settings/security`: password, second factor, sessions. */
export async function showSecurity(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { account } = visit.who;
  const state = await deps.authentication.secondFactors.stateOf(account);
  const sessions = await deps.authentication.sessions.list(account);
  const password = html`<p><a class="button quiet" href="${SECURITY_PATH}/password">Change the password</a></p>`;
  const content = html`${card('Password', password)}${card('Two-factor authentication', factorNote(state))}${card(
    'Sessions',
    html`${sessionTable(visit, deps, sessions)}${endOthersForm(visit, sessions)}`,
  )}`;
  return page(visit, { title: 'Security', content });
}

/** `POST /portal/settings/security/sessions/:session/end`. */
export async function endSession(visit: SessionVisit, deps: PortalDeps): Promise<Response> {
  const { who, sessionId, clientInfo } = visit;
  const hasEnded = await deps.authentication.sessions.end(who, sessionId, clientInfo);
  return hasEnded ? redirectSaying(deps, SECURITY_PATH, 'The session was ended.') : notFound(visit);
}

/** `POST /portal/settings/security/sessions/end-others`. */
export async function endOtherSessions(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  await deps.authentication.sessions.endOthers(visit.who, visit.clientInfo);
  return redirectSaying(deps, SECURITY_PATH, 'All other sessions were ended.');
}

function factorNote({ isOn, recoveryLeft }: SecondFactorState): Html {
  const link = html`<p><a class="button quiet" href="${FACTOR_PATH}">${isOn ? 'Change' : 'Set up a code from an app'}</a></p>`;
  if (!isOn) return html`<p>Off. A password alone opens this account.</p>${link}`;
  return html`<p>On. Signing in also asks for a code. Recovery codes left: ${recoveryLeft}.</p>${link}`;
}

function sessionTable(visit: SignedInVisit, deps: PortalDeps, sessions: readonly Session[]): Html {
  return table({
    caption: 'Where you are signed in',
    head: ['Browser', 'Address', 'Last seen', 'Signed in', 'Action'],
    rows: sessions.map((session) => [
      browserName(session.browser),
      addressName(session.address),
      moment(session.seenAt),
      moment(session.createdAt),
      isOwn(visit, session) ? 'This one' : endForm(visit, deps, session),
    ]),
    empty: 'You are signed in nowhere.',
  });
}

function endForm(visit: SignedInVisit, { ids }: PortalDeps, { id }: Session): Html {
  const action = `${SECURITY_PATH}/sessions/${ids.seal('session', id)}/end`;
  return form({ visit, action, content: submit('End', 'quiet') });
}

function endOthersForm(visit: SignedInVisit, sessions: readonly Session[]): Html {
  if (sessions.length < 2) return html``;
  const action = `${SECURITY_PATH}/sessions/end-others`;
  return form({ visit, action, content: submit('End all other sessions', 'danger') });
}
