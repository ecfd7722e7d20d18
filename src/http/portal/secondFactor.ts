import { renderSVG } from 'uqr';
import { type Html, html } from '../../lib/html.ts';
import type { Enrolment } from '../../platform/totp.ts';
import { redirectSaying, redirectTo } from './answers.ts';
import { fieldOf } from './form.ts';
import { page } from './layout.ts';
import { card, copyable, field, form, type Mistake, submit } from './parts.ts';
import type { PortalDeps, SignedInVisit } from './route.ts';
import { SECURITY_CRUMBS, SECURITY_PATH } from './security.ts';
import { mistakeOf } from './sentences.ts';

const PATH = `${SECURITY_PATH}/second-factor`;
const TITLE = 'Second step';

/** `GET /portal/settings/security/second-factor`: off, begun, or on. */
export async function showSecondFactor(visit: SignedInVisit, { people }: PortalDeps): Promise<Response> {
  const { account } = visit.who;
  const enrolment = await people.secondFactors.enrolmentOf(visit.who);
  if (enrolment !== undefined) return enrolmentPage(visit, enrolment);
  const { isOn, recoveryLeft } = await people.secondFactors.stateOf(account);
  const content = html`${SECURITY_CRUMBS}${isOn ? whileOn(visit, recoveryLeft) : whileOff(visit)}`;
  return page(visit, { title: TITLE, content });
}

/** `POST …/second-factor/begin`: a new secret. */
export async function beginSecondFactor({ who }: SignedInVisit, { people }: PortalDeps): Promise<Response> {
  await people.secondFactors.begin(who);
  return redirectTo(PATH);
}

/** `POST …/second-factor`: the first code shows that the app has the secret. */
export async function confirmSecondFactor(visit: SignedInVisit, { people }: PortalDeps): Promise<Response> {
  const confirmed = await people.secondFactors.confirm(visit.who, fieldOf(visit.form, 'code'), visit.whence);
  if (confirmed.ok) return codesPage(visit, confirmed.value, 'The second step is on.');
  const enrolment = await people.secondFactors.enrolmentOf(visit.who);
  if (enrolment === undefined) return redirectTo(PATH);
  return enrolmentPage(visit, enrolment, [mistakeOf(confirmed.problem, 'code')]);
}

/** `POST …/second-factor/recovery-codes`: others instead of those that are left. */
export async function renewRecoveryCodes(visit: SignedInVisit, { people }: PortalDeps): Promise<Response> {
  const codes = await people.secondFactors.renewRecovery(visit.who.account, visit.whence);
  return codes === undefined ? redirectTo(PATH) : codesPage(visit, codes, 'The codes from before are void.');
}

/** `POST …/second-factor/disable`. */
export async function disableSecondFactor(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  await deps.people.secondFactors.disable(visit.who.account, visit.whence);
  return redirectSaying(deps, SECURITY_PATH, 'The second step is off.');
}

function whileOff(visit: SignedInVisit): Html {
  const content = html`<p>After the password, signing in asks for a code that an app on your phone shows. Somebody who has
your password alone cannot come in then. Any app for one-time codes (TOTP) will do.</p>
${submit('Begin')}`;
  return form({ visit, action: `${PATH}/begin`, content });
}

function whileOn(visit: SignedInVisit, recoveryLeft: number): Html {
  const renew = html`<p>Recovery codes left: ${recoveryLeft}. New ones make those void.</p>
${submit('Make new recovery codes', 'quiet')}`;
  const disable = html`<p>Then the password alone opens this account.</p>
${submit('Turn the second step off', 'danger')}`;
  return html`${card('Recovery codes', form({ visit, action: `${PATH}/recovery-codes`, content: renew }))}${card(
    'Turn it off',
    form({ visit, action: `${PATH}/disable`, content: disable }),
  )}`;
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
<li>${field({ ...code, autocomplete: 'one-time-code', isLiteral: true }, mistakes)}${submit('Turn the second step on')}</li>
</ol>`;
  const body = html`${SECURITY_CRUMBS}${form({ visit, action: PATH, content })}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: TITLE, content: body, status, mistakes });
}

function codesPage(visit: SignedInVisit, codes: readonly string[], said: string): Response {
  const content = html`<p>${said} Should you lose your phone, each of these recovery codes opens the account once. They are
shown now and never again: print them, or keep them where you keep passwords.</p>
${copyable('codes', codes.join('\n'), 'Copy the codes')}
<p><a class="button" href="${SECURITY_PATH}">I have kept them</a></p>`;
  return page(visit, { title: 'Recovery codes', content: html`<section class="card">${content}</section>` });
}

/** Black on white in every theme: cameras want it so. */
function qrOf(text: string): Html {
  const drawn: Html = { markup: renderSVG(text, { border: 4 }) };
  return html`<div class="qr" role="img" aria-label="QR code of the secret">${drawn}</div>`;
}

function grouped(secret: string): string {
  return secret.replace(/....(?=.)/g, '$& ');
}
