import type { Session } from '../../model/session.ts';
import type { TwoFactorState } from '../../platform/authentication/twoFactor.ts';
import { ButtonLink, ConfirmButton } from '../components/form.tsx';
import type { Link } from '../components/navigation.tsx';
import { Card, Table } from '../components/sections.tsx';
import { addressName, browserName, Moment } from '../components/values.tsx';
import { t, texts } from '../i18n/t.tsx';
import { isOwn, type PortalDeps, type SessionVisit, type SignedInVisit } from '../kit/handler.ts';
import { notFound, page, redirectWithNotice } from '../kit/pages.tsx';
import { SECURITY_PATH, TWO_FACTOR_PATH } from '../kit/paths.ts';

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
          <ButtonLink
            path={`${SECURITY_PATH}/password`}
            text={t('account.security.password.change')}
            tone="quiet"
          />
        </div>
      </Card>
      <Card title={t('account.security.twoFactor.title')}>
        <TwoFactorStatus state={state} />
      </Card>
      <Card title={t('account.security.sessions.title')}>
        {sessionTable(visit, deps, sessions)}
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

function TwoFactorStatus({ state: { isOn, recoveryLeft } }: { readonly state: TwoFactorState }) {
  return (
    <div class="action">
      <p>
        <span class={isOn ? 'badge good' : 'badge'}>
          {t(isOn ? 'account.security.twoFactor.on' : 'account.security.twoFactor.off')}
        </span>{' '}
        {isOn
          ? t('account.security.twoFactor.onText', { count: recoveryLeft })
          : t('account.security.twoFactor.offText')}
      </p>
      <ButtonLink
        path={TWO_FACTOR_PATH}
        text={t(isOn ? 'account.security.twoFactor.manage' : 'account.security.twoFactor.setUp')}
        tone="quiet"
      />
    </div>
  );
}

function sessionTable(visit: SignedInVisit, { ids }: PortalDeps, sessions: readonly Session[]) {
  return (
    <Table
      caption={t('account.security.sessions.caption')}
      head={texts('account.security.sessions', 'browser', 'address', 'lastUsed', 'signedIn', 'action')}
      rows={sessions.map((session) => [
        browserName(session.browser),
        addressName(session.address),
        <Moment instant={session.seenAt} />,
        <Moment instant={session.createdAt} />,
        isOwn(visit, session) ? (
          <span class="badge good">{t('account.security.sessions.current')}</span>
        ) : (
          endButton(visit, session, ids.seal('session', session.id))
        ),
      ])}
      empty={t('account.security.sessions.none')}
    />
  );
}

/** @param id the opaque id of the session */
function endButton(visit: SignedInVisit, session: Session, id: string) {
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
