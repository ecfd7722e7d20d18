import { html } from '../../../lib/html.ts';
import { field, form, type Mistake, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { type FieldOfProblem, mistakeFor, PASSWORD_FIELDS, sentenceFor } from '../kit/messages.ts';
import { redirectSaying, redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, Visit } from '../kit/route.ts';
import { forgetLink, linkPage, openedToken } from '../kit/secretLink.tsx';
import { enter } from '../kit/sessionStart.ts';

/** `GET /portal/setup`: the form for the first account after the setup link was opened; before that, where to find the link. */
export async function showSetup(visit: Visit, deps: PortalDeps): Promise<Response> {
  const { setup } = deps.authentication;
  if (!(await setup.isOpen())) return redirectTo('/portal/login');
  const token = openedToken(visit, deps, 'setup');
  if (token === '') return lookInTheLog(visit, 200);
  return setup.accepts(token)
    ? setUpPage(visit, { token, email: '', organization: '' })
    : lookInTheLog(visit, 403);
}

/** `POST /portal/setup`. */
export async function completeSetup(visit: Visit, deps: PortalDeps): Promise<Response> {
  const { setup, sessions } = deps.authentication;
  if (!(await setup.isOpen())) return redirectSaying(deps, '/portal/login', sentenceFor('set-up-over'));
  const typed = {
    token: fieldOf(visit.form, 'token'),
    email: fieldOf(visit.form, 'email'),
    organization: fieldOf(visit.form, 'organization'),
  };
  const given = { ...typed, organizationName: typed.organization, password: fieldOf(visit.form, 'password') };
  const ending = await setup.complete(given, visit.clientInfo);
  if (ending.ok) {
    const begun = await sessions.begin(ending.value.account, visit.clientInfo, false);
    return forgetLink(deps, await enter(visit, deps, begun, '/portal/first-site'));
  }
  if (ending.problems.includes('set-up-token-wrong')) return lookInTheLog(visit, 403);
  if (ending.problems.includes('set-up-over')) return redirectTo('/portal/login');
  return setUpPage(
    visit,
    typed,
    ending.problems.map((problem) => mistakeFor(problem, FIELDS)),
  );
}

const FIELDS: FieldOfProblem<'email' | 'password' | 'organization'> = {
  'email-malformed': 'email',
  'email-taken': 'email',
  ...PASSWORD_FIELDS,
  'organization-name-empty': 'organization',
  'organization-name-too-long': 'organization',
  'organization-name-malformed': 'organization',
};

type Typed = { readonly token: string; readonly email: string; readonly organization: string };

function setUpPage(visit: Visit, typed: Typed, mistakes: readonly Mistake[] = []): Response {
  const { token, email, organization } = typed;
  const first = { name: 'email', label: 'E-mail address', type: 'email', value: email } as const;
  const content = html`<p>This makes the first user, an administrator. The page never opens again after that.</p>
<input type="hidden" name="token" value="${token}">
${field({ ...first, autocomplete: 'username', isLiteral: true, isFocused: mistakes.length === 0 }, mistakes)}${newPassword(
  'Password',
  mistakes,
)}${field(
  {
    name: 'organization',
    label: 'Name of your organization',
    value: organization,
    help: 'It will own the sites that you protect. You can change it later.',
    autocomplete: 'organization',
  },
  mistakes,
)}${submit('Create the first user')}`;
  const body = form({ visit, action: '/portal/setup', content });
  return linkPage(visit, 'setup', { title: 'Set up Postern', content: body, mistakes });
}

/** A field for the password of the user who is signed in. */
export function currentPassword(mistakes: readonly Mistake[], isFocused = mistakes.length === 0) {
  const about = { name: 'current', label: 'Current password', type: 'password' } as const;
  return field({ ...about, autocomplete: 'current-password', isFocused }, mistakes);
}

/** A field for a password that is chosen now. */
export function newPassword(label: string, mistakes: readonly Mistake[]) {
  const help =
    'At least 8 characters. Common passwords and passwords based on your email address or organization are rejected. Several random words work well.';
  const about = { name: 'password', label, type: 'password', help, hasMeter: true } as const;
  return field({ ...about, autocomplete: 'new-password' }, mistakes);
}

function lookInTheLog(visit: Visit, status: 200 | 403): Response {
  const reason =
    status === 403
      ? sentenceFor('set-up-token-wrong')
      : 'Nobody has an account here yet. The server has printed a link to make the first one: look into its log, or its terminal.';
  const content = html`<p>${reason}</p>
<p>The line begins with <code>Setup link:</code>. Every start of the server prints a new link, and the one before is void.</p>
<p>On the command line it goes like this:</p>
<pre>postern users create --email YOU@EXAMPLE.COM --admin --password-stdin</pre>`;
  return linkPage(visit, 'setup', { title: 'Set up Postern', content, status, asksForLink: true });
}
