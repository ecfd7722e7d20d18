import { renderSVG } from 'uqr';
import { type Html, html } from '../../../lib/html.ts';
import type { Enrolment } from '../../../platform/totp.ts';
import { card, copyable, field, form, type Mistake, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf, sentenceFor } from '../kit/messages.ts';
import { redirectSaying, redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { type SignInRejection, signInRejectionOf, withRetry } from '../kit/sessionStart.ts';
import { currentPassword } from '../onboarding/setup.tsx';
import { FACTOR_PATH, SECURITY_CRUMBS, SECURITY_PATH } from './security.tsx';

const PATH = FACTOR_PATH;
const TITLE = 'Two-factor authentication';

/** `GET /portal/settings/security/second-factor`: off, begun, or on. */
export async function showSecondFactor(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const enrolment = await deps.authentication.secondFactors.enrolmentOf(visit.who);
  return enrolment === undefined ? statePage(visit, deps) : enrolmentPage(visit, enrolment);
}

/** `POST …/second-factor/begin`: a new secret. */
export async function beginSecondFactor(
  { who }: SignedInVisit,
  { authentication }: PortalDeps,
): Promise<Response> {
  await authentication.secondFactors.begin(who);
  return redirectTo(PATH);
}

/** `POST …/second-factor`: the first code shows that the app has the secret. */
export async function confirmSecondFactor(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { authentication } = deps;
  const confirmed = await authentication.secondFactors.confirm(
    visit.who,
    fieldOf(visit.form, 'code'),
    visit.clientInfo,
  );
  if (confirmed.ok) {
    const others = (await authentication.sessions.list(visit.who.account)).length - 1;
    return codesPage(
      visit,
      confirmed.value,
      'Two-factor authentication is on.',
      endOthersPart(visit, others),
    );
  }
  const enrolment = await authentication.secondFactors.enrolmentOf(visit.who);
  if (enrolment === undefined) return redirectTo(PATH);
  return enrolmentPage(visit, enrolment, [mistakeOf(confirmed.problem, 'code')]);
}

/** `POST …/second-factor/recovery-codes`: others instead of those that are left. */
export async function renewRecoveryCodes(
  visit: SignedInVisit,
  { authentication }: PortalDeps,
): Promise<Response> {
  const codes = await authentication.secondFactors.renewRecovery(visit.who.account, visit.clientInfo);
  return codes === undefined ? redirectTo(PATH) : codesPage(visit, codes, 'The codes from before are void.');
}

/** `POST …/second-factor/disable`: requires the password. */
export async function disableSecondFactor(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const password = fieldOf(visit.form, 'current');
  const disabled = await deps.authentication.twoFactor.disable(visit.who, password, visit.clientInfo);
  if (disabled.ok) return redirectSaying(deps, SECURITY_PATH, 'Two-factor authentication was turned off.');
  const refusal = signInRejectionOf(disabled, 'current');
  return withRetry(await statePage(visit, deps, refusal), refusal);
}

/** On or off, and what can be changed. */
async function statePage(
  visit: SignedInVisit,
  { authentication }: PortalDeps,
  { status = 200, mistakes = [] }: Partial<SignInRejection> = {},
): Promise<Response> {
  const { account } = visit.who;
  const { isOn, recoveryLeft } = await authentication.secondFactors.stateOf(account);
  const isRequired = authentication.twoFactor.isRequiredOf(account);
  const part = isOn ? whileOn(visit, { recoveryLeft, isRequired }, mistakes) : whileOff(visit, isRequired);
  return page(visit, { title: TITLE, content: html`${SECURITY_CRUMBS}${part}`, status, mistakes });
}

const REQUIRED = html`<p class="notice">This installation requires you to use two-factor authentication. Set it up to continue.</p>
`;

function whileOff(visit: SignedInVisit, isRequired: boolean): Html {
  const content = html`${isRequired ? REQUIRED : ''}<p>After you enter your password, you also enter a code from an authenticator app on your phone, so
that your password alone is not enough to sign in. Any authenticator app (TOTP) works.</p>
${submit('Begin')}`;
  return form({ visit, action: `${PATH}/begin`, content });
}

type State = { readonly recoveryLeft: number; readonly isRequired: boolean };

function whileOn(visit: SignedInVisit, state: State, mistakes: readonly Mistake[]): Html {
  const { recoveryLeft, isRequired } = state;
  const renew = html`<p>Recovery codes left: ${recoveryLeft}. New ones make those void.</p>
${submit('Make new recovery codes', 'quiet')}`;
  const disable = html`<p>Your password alone is then enough to sign in.</p>
${currentPassword(mistakes, false)}${submit('Turn off two-factor authentication', 'danger')}`;
  const off = isRequired
    ? html`<p>${sentenceFor('two-factor-required')}</p>`
    : form({ visit, action: `${PATH}/disable`, content: disable });
  return html`${card('Recovery codes', form({ visit, action: `${PATH}/recovery-codes`, content: renew }))}${card(
    'Turn it off',
    off,
  )}`;
}

/** Earlier sessions were started without a code. */
function endOthersPart(visit: SignedInVisit, others: number): Html {
  if (others === 0) return html``;
  const browsers = others === 1 ? '1 other browser is' : `${others} other browsers are`;
  const content = html`<p>${browsers} signed in to this account without a code. Save the recovery codes first, because this
button leaves the page.</p>
${submit('End all other sessions', 'danger')}`;
  return card('Other sessions', form({ visit, action: `${SECURITY_PATH}/sessions/end-others`, content }));
}

function enrolmentPage(
  visit: SignedInVisit,
  enrolment: Enrolment,
  mistakes: readonly Mistake[] = [],
): Response {
  const help = 'The six digits that it shows now.';
  const code = { name: 'code', label: 'Code from the app', help, inputmode: 'numeric' } as const;
  const content = html`<ol class="steps">
<li>Scan this with your app for codes, or type the secret into it.
${qrOf(enrolment.uri)}
${copyable('secret', grouped(enrolment.secret), 'Copy the secret')}</li>
<li>${field({ ...code, autocomplete: 'one-time-code', isLiteral: true }, mistakes)}${submit('Turn on two-factor authentication')}</li>
</ol>`;
  const body = html`${SECURITY_CRUMBS}${form({ visit, action: PATH, content })}`;
  return page(visit, { title: TITLE, content: body, mistakes });
}

function codesPage(
  visit: SignedInVisit,
  codes: readonly string[],
  said: string,
  after: Html = html``,
): Response {
  const content = html`<p>${said} Should you lose your phone, each of these recovery codes opens the account once. They are
shown now and never again: print them, or keep them where you keep passwords.</p>
${copyable('codes', codes.join('\n'), 'Copy the codes')}
<p><a class="button" href="${SECURITY_PATH}">I have kept them</a></p>`;
  return page(visit, {
    title: 'Recovery codes',
    content: html`<section class="card">${content}</section>
${after}`,
  });
}

/** Black on white in every theme: cameras want it so. */
function qrOf(text: string): Html {
  const drawn: Html = { markup: renderSVG(text, { border: 4 }) };
  return html`<div class="qr" role="img" aria-label="QR code of the secret">${drawn}</div>`;
}

function grouped(secret: string): string {
  return secret.replace(/....(?=.)/g, '$& ');
}
