import type { Session } from '../../model/session.ts';
import type { TwoFactorState } from '../../platform/authentication/twoFactor.ts';
import { Card } from '../components/card.tsx';
import { ConfirmButton } from '../components/form.tsx';
import { addressName, browserName } from '../components/names.tsx';
import type { Link } from '../components/navigation.tsx';
import { Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { t } from '../i18n/t.ts';
import { isOwn, type PortalDeps, type SessionVisit, type SignedInVisit } from '../kit/handler.ts';
import { SECURITY_PATH, TWO_FACTOR_PATH } from '../kit/paths.ts';
import { notFound, page, redirectWithNotice } from '../kit/responses.tsx';

/** The breadcrumbs of the pages below the security page. */
export function securityCrumbs(): readonly Link[] {
  return [[SECURITY_PATH, t('account.security.title')]];
}

/** Password, two-factor authentication, sessions. */
export async function showSecurity(visit: SignedInVisit, deps: PortalDeps) {
  const { account } = visit.signedIn;
  const state = await deps.authentication.twoFactor.stateOf(account);
  const sessions = await deps.authentication.sessions.list(account);
  const content = (
    <>
      <Card title={t('account.security.password.title')}>
        <div class="action">
          <p>{t('account.security.password.text')}</p>
          <a class="button quiet" href={`${SECURITY_PATH}/password`}>
            {t('account.security.password.change')}
          </a>
        </div>
      </Card>
      <Card title={t('account.security.twoFactor.title')}>
        <TwoFactorStatus state={state} />
      </Card>
      <Card title={t('account.security.sessions.title')}>
        <SessionTable visit={visit} deps={deps} sessions={sessions} />
        {sessions.length > 1 && <EndOthersButton visit={visit} count={sessions.length - 1} />}
      </Card>
    </>
  );
  return page(visit, { title: t('account.security.title'), content });
}

export async function endSession(visit: SessionVisit, deps: PortalDeps) {
  const hasEnded = await deps.authentication.sessions.end(visit.actor, visit.sessionId);
  if (!hasEnded) return notFound(visit);
  return redirectWithNotice(deps, SECURITY_PATH, t('account.security.sessions.ended'));
}

export async function endOtherSessions(visit: SignedInVisit, deps: PortalDeps) {
  await deps.authentication.sessions.endOthers(visit.actor);
  return redirectWithNotice(deps, SECURITY_PATH, t('account.security.sessions.othersEnded'));
}

/** Ends all sessions of the user except for this one, after a confirmation. @param props.count the number of the others */
export function EndOthersButton({ visit, count }: { readonly visit: SignedInVisit; readonly count: number }) {
  return (
    <ConfirmButton
      visit={visit}
      action={`${SECURITY_PATH}/sessions/end-others`}
      id="end-others"
      button={t('account.security.sessions.endOthers')}
      title={t('account.security.sessions.endOthersTitle')}
    >
      <p>{t('account.security.sessions.endOthersText', { count })}</p>
    </ConfirmButton>
  );
}

function TwoFactorStatus({ state }: { readonly state: TwoFactorState }) {
  const { isOn, recoveryLeft } = state;
  return (
    <div class="action">
      <p>
        {isOn ? (
          <span class="badge good">{t('account.security.twoFactor.on')}</span>
        ) : (
          <span class="badge">{t('account.security.twoFactor.off')}</span>
        )}{' '}
        {isOn
          ? t('account.security.twoFactor.onText', { count: recoveryLeft })
          : t('account.security.twoFactor.offText')}
      </p>
      <a class="button quiet" href={TWO_FACTOR_PATH}>
        {t(isOn ? 'account.security.twoFactor.manage' : 'account.security.twoFactor.setUp')}
      </a>
    </div>
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
      caption={t('account.security.sessions.caption')}
      head={[
        t('account.security.sessions.browser'),
        t('account.security.sessions.address'),
        t('account.security.sessions.lastUsed'),
        t('account.security.sessions.signedIn'),
        t('account.security.sessions.action'),
      ]}
      rows={sessions.map((session) => [
        browserName(session.browser),
        addressName(session.address),
        <Moment instant={session.seenAt} />,
        <Moment instant={session.createdAt} />,
        isOwn(visit, session) ? (
          <span class="badge good">{t('account.security.sessions.current')}</span>
        ) : (
          <EndButton visit={visit} session={session} id={deps.ids.seal('session', session.id)} />
        ),
      ])}
      empty={t('account.security.sessions.none')}
    />
  );
}

function EndButton(props: {
  readonly visit: SignedInVisit;
  readonly session: Session;
  /** The opaque id. */
  readonly id: string;
}) {
  const { visit, session, id } = props;
  const values = { browser: browserName(session.browser), address: addressName(session.address) };
  return (
    <ConfirmButton
      visit={visit}
      action={`${SECURITY_PATH}/sessions/${id}/end`}
      id={id}
      button={t('account.security.sessions.end')}
      label={t('account.security.sessions.endNamed', values)}
      title={t('account.security.sessions.endTitle')}
      isSmall
    >
      <p>{t('account.security.sessions.endText', values)}</p>
    </ConfirmButton>
  );
}
