import { renderSVG } from 'uqr';
import { Raw } from '../../jsx/runtime.ts';
import type { Enrollment } from '../../platform/authentication/totp.ts';
import { CodeField, CurrentPasswordField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { ConfirmButton, Form, LinkButton, SubmitButton } from '../components/form.tsx';
import { Card } from '../components/sections.tsx';
import { t } from '../i18n/t.tsx';
import { errorOf, fieldOf, sentenceFor } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/pages.tsx';
import { SECURITY_PATH, TWO_FACTOR_PATH } from '../kit/paths.ts';
import { type SignInRejection, signInRejectionOf } from '../kit/sessionStart.ts';
import { EndOthersButton, securityCrumbs } from './security.tsx';

/** Shows the status of two-factor authentication, or the setup if it is in progress. */
export async function showTwoFactor(visit: SignedInVisit, deps: PortalDeps) {
  const enrollment = await deps.authentication.twoFactor.enrollmentOf(visit.actor);
  return enrollment === undefined ? statePage(visit, deps) : enrollmentPage(visit, enrollment);
}

/** Creates a new secret. */
export async function startTwoFactor({ actor }: SignedInVisit, deps: PortalDeps) {
  await deps.authentication.twoFactor.start(actor);
  return redirectTo(TWO_FACTOR_PATH);
}

/** Turns it on; the first code proves that the authenticator app has the secret. */
export async function confirmTwoFactor(visit: SignedInVisit, deps: PortalDeps) {
  const { twoFactor, sessions } = deps.authentication;
  const code = fieldOf(visit.form, 'code');
  const confirmed = await twoFactor.confirm(visit.actor, code);
  if (confirmed.ok) {
    const otherSessions = (await sessions.list(visit.signedIn.account)).length - 1;
    const notice = t('account.twoFactor.turnedOn');
    return recoveryCodesPage(visit, confirmed.value, notice, otherSessions);
  }
  const enrollment = await twoFactor.enrollmentOf(visit.actor);
  if (enrollment === undefined) return redirectTo(TWO_FACTOR_PATH);
  return enrollmentPage(visit, enrollment, [errorOf(confirmed.problem, 'code')]);
}

/** Replaces the recovery codes. */
export async function renewRecoveryCodes(visit: SignedInVisit, deps: PortalDeps) {
  const codes = await deps.authentication.twoFactor.renewRecoveryCodes(visit.actor);
  if (codes === undefined) return redirectTo(TWO_FACTOR_PATH);
  return recoveryCodesPage(visit, codes, t('account.twoFactor.recovery.renewed'), 0);
}

/** Requires the password. */
export async function disableTwoFactor(visit: SignedInVisit, deps: PortalDeps) {
  const password = fieldOf(visit.form, 'current');
  const disabled = await deps.authentication.twoFactor.disable(visit.actor, password);
  if (disabled.ok) return redirectWithNotice(deps, SECURITY_PATH, t('account.twoFactor.turnedOff'));
  return statePage(visit, deps, signInRejectionOf(disabled, 'current'));
}

/** The page while no setup is in progress. */
async function statePage(visit: SignedInVisit, deps: PortalDeps, rejection: SignInRejection = {}) {
  const { twoFactor } = deps.authentication;
  const { account } = visit.signedIn;
  const { isOn, recoveryLeft } = await twoFactor.stateOf(account);
  const isRequired = twoFactor.isRequiredOf(account);
  const content = isOn ? (
    <>
      {recoveryCodesCard(visit, recoveryLeft)}
      {turnOffCard(visit, isRequired, rejection.errors ?? [])}
    </>
  ) : (
    <Form visit={visit} action={`${TWO_FACTOR_PATH}/begin`} button={t('account.twoFactor.start')}>
      {isRequired && <p class="notice">{t('account.twoFactor.required')}</p>}
      <p>{t('account.twoFactor.about')}</p>
    </Form>
  );
  const title = t('account.twoFactor.title');
  return page(visit, { title, breadcrumbs: securityCrumbs(), content, ...rejection });
}

function recoveryCodesCard(visit: SignedInVisit, recoveryLeft: number) {
  return (
    <Card title={t('account.twoFactor.recovery.title')}>
      <p>{t('account.twoFactor.recovery.left', { count: recoveryLeft })}</p>
      <ConfirmButton
        visit={visit}
        action={`${TWO_FACTOR_PATH}/recovery-codes`}
        id="renew-codes"
        button={t('account.twoFactor.recovery.renew')}
        title={t('account.twoFactor.recovery.renewTitle')}
        tone="main"
      >
        <p>{t('account.twoFactor.recovery.renewText')}</p>
      </ConfirmButton>
    </Card>
  );
}

function turnOffCard(visit: SignedInVisit, isRequired: boolean, errors: FieldErrors) {
  const button = t('account.twoFactor.turnOff');
  return (
    <Card title={t('account.twoFactor.turnOffTitle')}>
      {isRequired ? (
        <p>{sentenceFor('two-factor-required')}</p>
      ) : (
        <Form visit={visit} action={`${TWO_FACTOR_PATH}/disable`} button={button} tone="danger">
          <p>{t('account.twoFactor.turnOffText')}</p>
          <CurrentPasswordField errors={errors} isFocused={false} />
        </Form>
      )}
    </Card>
  );
}

/** Offers to end the sessions that started before two-factor authentication was turned on, because they did not require a code. */
function otherSessionsCard(visit: SignedInVisit, count: number) {
  return (
    <Card title={t('account.twoFactor.others.title')}>
      <p>{t('account.twoFactor.others.text', { count })}</p>
      <EndOthersButton visit={visit} count={count} />
    </Card>
  );
}

function enrollmentPage(visit: SignedInVisit, { uri, secret }: Enrollment, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action={TWO_FACTOR_PATH}>
      <ol class="steps">
        <li>
          {t('account.twoFactor.scan')}
          <QrCode text={uri} />
          <Copyable id="secret" text={grouped(secret)} label={t('account.twoFactor.copySecret')} />
        </li>
        <li>
          <CodeField
            label={t('account.twoFactor.code')}
            help={t('account.twoFactor.codeHelp')}
            inputmode="numeric"
            errors={errors}
          />
          <SubmitButton>{t('account.twoFactor.turnOn')}</SubmitButton>
        </li>
      </ol>
    </Form>
  );
  const title = t('account.twoFactor.title');
  return page(visit, { title, breadcrumbs: securityCrumbs(), content, errors });
}

/** @param others the number of other sessions, which the page offers to end */
function recoveryCodesPage(visit: SignedInVisit, codes: readonly string[], notice: string, others: number) {
  const content = (
    <>
      <section class="card">
        <p>
          {notice} {t('account.twoFactor.recovery.about')}
        </p>
        <Copyable id="codes" text={codes.join('\n')} label={t('account.twoFactor.recovery.copy')} />
        <LinkButton path={SECURITY_PATH} text={t('account.twoFactor.recovery.saved')} />
      </section>
      {others > 0 && otherSessionsCard(visit, others)}
    </>
  );
  return page(visit, { title: t('account.twoFactor.recovery.title'), content });
}

/** A QR code, black on white in every theme so that cameras can read it. */
function QrCode({ text }: { readonly text: string }) {
  return (
    <div class="qr" role="img" aria-label={t('account.twoFactor.qrCode')}>
      <Raw markup={renderSVG(text, { border: 4 })} />
    </div>
  );
}

/** A secret in groups of four characters. */
function grouped(secret: string): string {
  return secret.replace(/....(?=.)/g, '$& ');
}
