import type { Session } from '../../../model/session.ts';
import type { TwoFactorState } from '../../../platform/authentication/twoFactor.ts';
import { addressName } from '../components/addressName.ts';
import { Card } from '../components/card.tsx';
import { Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { isOwn, type PortalDeps, type SessionVisit, type SignedInVisit } from '../kit/handler.ts';
import { notFound, page, redirectWithNotice } from '../kit/responses.tsx';
import { browserName } from './browserName.ts';

export const SECURITY_PATH = '/portal/settings/security';

/** The page that sets up two-factor authentication and turns it off. */
export const TWO_FACTOR_PATH = `${SECURITY_PATH}/two-factor`;

/** The breadcrumbs of the pages below the security page. */
export function SecurityBreadcrumbs() {
  return <Breadcrumbs links={[[SECURITY_PATH, 'Security']]} />;
}

/** Password, two-factor authentication, sessions. */
export async function showSecurity(visit: SignedInVisit, deps: PortalDeps) {
  const { account } = visit.signedIn;
  const state = await deps.authentication.twoFactor.stateOf(account);
  const sessions = await deps.authentication.sessions.list(account);
  const content = (
    <>
      <Card title="Password">
        <LinkButton path={`${SECURITY_PATH}/password`} tone="quiet">
          Change password
        </LinkButton>
      </Card>
      <Card title="Two-factor authentication">
        <TwoFactorStatus state={state} />
      </Card>
      <Card title="Sessions">
        <SessionTable visit={visit} deps={deps} sessions={sessions} />
        {sessions.length > 1 && (
          <Form
            visit={visit}
            action={`${SECURITY_PATH}/sessions/end-others`}
            button="End all other sessions"
            tone="danger"
          />
        )}
      </Card>
    </>
  );
  return page(visit, { title: 'Security', content });
}

export async function endSession(visit: SessionVisit, deps: PortalDeps) {
  const hasEnded = await deps.authentication.sessions.end(visit.actor, visit.sessionId);
  return hasEnded ? redirectWithNotice(deps, SECURITY_PATH, 'The session was ended.') : notFound(visit);
}

export async function endOtherSessions(visit: SignedInVisit, deps: PortalDeps) {
  await deps.authentication.sessions.endOthers(visit.actor);
  return redirectWithNotice(deps, SECURITY_PATH, 'All other sessions were ended.');
}

function TwoFactorStatus({ state }: { readonly state: TwoFactorState }) {
  const { isOn, recoveryLeft } = state;
  return (
    <>
      <p>
        {isOn
          ? `On. To sign in, you also enter a code. Recovery codes left: ${recoveryLeft}.`
          : 'Off. Your password alone is enough to sign in.'}
      </p>
      <LinkButton path={TWO_FACTOR_PATH} tone="quiet">
        {isOn ? 'Manage two-factor authentication' : 'Set up two-factor authentication'}
      </LinkButton>
    </>
  );
}

function SessionTable(props: {
  readonly visit: SignedInVisit;
  readonly deps: PortalDeps;
  readonly sessions: readonly Session[];
}) {
  const { visit, deps, sessions } = props;
  return (
    <Table
      caption="Browsers in which you are signed in"
      head={['Browser', 'Address', 'Last used', 'Signed in', 'Action']}
      rows={sessions.map((session) => [
        browserName(session.browser),
        addressName(session.address),
        <Moment instant={session.seenAt} />,
        <Moment instant={session.createdAt} />,
        isOwn(visit, session) ? (
          'This session'
        ) : (
          <Form
            visit={visit}
            action={`${SECURITY_PATH}/sessions/${deps.ids.seal('session', session.id)}/end`}
          >
            <SubmitButton tone="quiet">End session</SubmitButton>
          </Form>
        ),
      ])}
      empty="There are no sessions."
    />
  );
}
