import { html } from '../../../lib/html.ts';
import type { Account } from '../../../model/account.ts';
import { userPath } from '../admin/userList.tsx';
import { copyable, form, type Mistake, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeFor, PASSWORD_FIELDS, sentenceFor } from '../kit/messages.ts';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit, Visit } from '../kit/route.ts';
import { forgetLink, linkPage as linkedPage, linkPath, linkTo, openedToken } from '../kit/secretLink.tsx';
import { newPassword } from '../onboarding/setup.tsx';

const PATH = linkPath('password');
const TITLE = 'Choose a password';

/** `GET /portal/password`: the form for the password, after a link was opened. */
export async function showChoosePassword(visit: Visit, deps: PortalDeps): Promise<Response> {
  const token = openedToken(visit, deps, 'password');
  if (token === '') return noLinkPage(visit);
  const account = await deps.authentication.passwordLinks.open(token);
  return account === undefined ? voidPage(visit) : choosePage(visit, account, token);
}

/** `POST /portal/password`. */
export async function choosePassword(visit: Visit, deps: PortalDeps): Promise<Response> {
  const token = fieldOf(visit.form, 'token');
  const { passwordLinks } = deps.authentication;
  const used = await passwordLinks.use(token, fieldOf(visit.form, 'password'), visit.clientInfo);
  if (used.ok)
    return forgetLink(deps, redirectSaying(deps, '/portal/login', 'The password was set. Sign in with it.'));
  const account = await passwordLinks.open(token);
  if (used.problem === 'password-link-unknown' || account === undefined) return voidPage(visit);
  return choosePage(visit, account, token, [mistakeFor(used.problem, PASSWORD_FIELDS)]);
}

/** Makes a link for a user, notes that down, and shows it to the administrator who hands it on. */
export async function linkPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  { id, email }: Account,
  title: string,
): Promise<Response> {
  const issued = await deps.authentication.passwordLinks.issue(visit.actor, id);
  if (!issued.ok) return notFound(visit);
  const act = { action: 'password-link-created', organizationId: undefined, subject: email } as const;
  await deps.audit.recordAct(visit.actor, act);
  const link = linkTo(deps.baseUrl, 'password', issued.value);
  const content = html`<section class="card">
<p>Hand this link to <strong>${email}</strong>. Whoever has it chooses the password of this user: use a way that nobody else
reads. It works once, for three days, and only as long as the password is not changed otherwise.</p>
${copyable('link', link, 'Copy')}<p><a class="button" href="${userPath(deps, id)}">To the user</a></p>
</section>
`;
  return page(visit, { title, content });
}

function choosePage(
  visit: Visit,
  { email }: Account,
  token: string,
  mistakes: readonly Mistake[] = [],
): Response {
  const content = html`<p>You sign in as <strong>${email}</strong>, with the password that you choose here.</p>
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${email}" autocomplete="username">
${newPassword('Password', mistakes)}${submit('Set the password')}`;
  const body = form({ visit, action: PATH, content });
  return linkedPage(visit, 'password', { title: TITLE, content: body, mistakes });
}

function noLinkPage(visit: Visit): Response {
  const content = html`<p>To choose a password, open the link that an administrator gave you.</p>`;
  return linkedPage(visit, 'password', { title: TITLE, content, asksForLink: true });
}

function voidPage(visit: Visit): Response {
  const content = html`<p>${sentenceFor('password-link-unknown')}</p>
<p><a href="/portal/login">To signing in</a></p>`;
  return linkedPage(visit, 'password', { title: TITLE, content, status: 404, asksForLink: true });
}
