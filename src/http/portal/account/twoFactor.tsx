import { CurrentPasswordField } from '../components/accountFields.tsx';
import { Card } from '../components/card.tsx';
import type { FieldErrors } from '../components/field.tsx';
import { ActionForm, Form } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { errorOf, sentenceFor } from '../kit/messages.ts';
import { page, redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { type SignInRejection, signInRejectionOf } from '../kit/sessionStart.ts';
import { SECURITY_PATH, SecurityBreadcrumbs, TWO_FACTOR_PATH } from './security.tsx';
import { enrollmentPage, recoveryCodesPage, TWO_FACTOR_TITLE } from './twoFactorSetup.tsx';

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
    const notice = 'Two-factor authentication was turned on.';
    return recoveryCodesPage(visit, { codes: confirmed.value, notice, otherSessions });
  }
  const enrollment = await twoFactor.enrollmentOf(visit.actor);
  if (enrollment === undefined) return redirectTo(TWO_FACTOR_PATH);
  return enrollmentPage(visit, enrollment, [errorOf(confirmed.problem, 'code')]);
}

/** Replaces the recovery codes. */
export async function renewRecoveryCodes(visit: SignedInVisit, deps: PortalDeps) {
  const codes = await deps.authentication.twoFactor.renewRecoveryCodes(visit.actor);
  if (codes === undefined) return redirectTo(TWO_FACTOR_PATH);
  return recoveryCodesPage(visit, {
    codes,
    notice: 'Your previous recovery codes no longer work.',
    otherSessions: 0,
  });
}

/** Requires the password. */
export async function disableTwoFactor(visit: SignedInVisit, deps: PortalDeps) {
  const password = fieldOf(visit.form, 'current');
  const disabled = await deps.authentication.twoFactor.disable(visit.actor, password);
  if (disabled.ok)
    return redirectWithNotice(deps, SECURITY_PATH, 'Two-factor authentication was turned off.');
  return statePage(visit, deps, signInRejectionOf(disabled, 'current'));
}

/** The page while no setup is in progress. */
async function statePage(
  visit: SignedInVisit,
  { authentication: { twoFactor } }: PortalDeps,
  rejection: SignInRejection = {},
) {
  const { account } = visit.signedIn;
  const { isOn, recoveryLeft } = await twoFactor.stateOf(account);
  const isRequired = twoFactor.isRequiredOf(account);
  const content = (
    <>
      <SecurityBreadcrumbs />
      {isOn ? (
        <>
          <RecoveryCodesCard visit={visit} recoveryLeft={recoveryLeft} />
          <TurnOffCard visit={visit} isRequired={isRequired} errors={rejection.errors ?? []} />
        </>
      ) : (
        <SetupForm visit={visit} isRequired={isRequired} />
      )}
    </>
  );
  return page(visit, { title: TWO_FACTOR_TITLE, content, ...rejection });
}

type VisitProps = { readonly visit: SignedInVisit };

function SetupForm({ visit, isRequired }: VisitProps & { readonly isRequired: boolean }) {
  return (
    <Form visit={visit} action={`${TWO_FACTOR_PATH}/begin`} button="Start setup">
      {isRequired && (
        <p class="notice">
          This installation requires you to use two-factor authentication. Set it up to continue.
        </p>
      )}
      <p>
        After you enter your password, you also enter a code from an authenticator app on your phone, so that
        your password alone is not enough to sign in. Any authenticator app (TOTP) works.
      </p>
    </Form>
  );
}

function RecoveryCodesCard({ visit, recoveryLeft }: VisitProps & { readonly recoveryLeft: number }) {
  return (
    <Card title="Recovery codes">
      <ActionForm
        visit={visit}
        action={`${TWO_FACTOR_PATH}/recovery-codes`}
        button="Create new recovery codes"
        tone="quiet"
      >
        Recovery codes left: {recoveryLeft}. If you create new recovery codes, these no longer work.
      </ActionForm>
    </Card>
  );
}

function TurnOffCard(props: VisitProps & { readonly isRequired: boolean; readonly errors: FieldErrors }) {
  return (
    <Card title="Turn off">
      {props.isRequired ? (
        <p>{sentenceFor('two-factor-required')}</p>
      ) : (
        <Form
          visit={props.visit}
          action={`${TWO_FACTOR_PATH}/disable`}
          button="Turn off two-factor authentication"
          tone="danger"
        >
          <p>Your password alone is then enough to sign in.</p>
          <CurrentPasswordField errors={props.errors} isFocused={false} />
        </Form>
      )}
    </Card>
  );
}
