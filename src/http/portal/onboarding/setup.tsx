import { EmailField, NewPasswordField } from '../components/accountFields.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { FIELD_OF_PROBLEM, fieldErrorOf, sentenceFor } from '../kit/messages.ts';
import { redirectTo, redirectWithNotice } from '../kit/responses.tsx';
import { clearLink, linkPage, openedToken } from '../kit/secretLink.tsx';
import { startSession } from '../kit/sessionStart.ts';

const TITLE = 'Set up Postern';

/** Shows the form for the first user if the setup link was opened; otherwise, explains where to find the link. */
export async function showSetup(visit: Visit, deps: PortalDeps) {
  const { setup } = deps.authentication;
  if (!(await setup.isOpen())) return redirectTo('/portal/login');
  const token = openedToken(visit, deps, 'setup');
  if (token === '') return noLinkPage(visit, 200);
  return setup.accepts(token)
    ? setupPage(visit, { token, email: '', organization: '' })
    : noLinkPage(visit, 403);
}

export async function completeSetup(visit: Visit, deps: PortalDeps) {
  const { setup, sessions } = deps.authentication;
  if (!(await setup.isOpen())) return redirectWithNotice(deps, '/portal/login', sentenceFor('setup-closed'));
  const typed = {
    token: fieldOf(visit.form, 'token'),
    email: fieldOf(visit.form, 'email'),
    organization: fieldOf(visit.form, 'organization'),
  };
  const input = { ...typed, organizationName: typed.organization, password: fieldOf(visit.form, 'password') };
  const completed = await setup.complete(input, visit.clientInfo);
  if (completed.ok) {
    const started = await sessions.start(completed.value.account, visit.clientInfo);
    return clearLink(deps, await startSession(visit, deps, started, '/portal/first-property'));
  }
  if (completed.problems.includes('setup-token-wrong')) return noLinkPage(visit, 403);
  if (completed.problems.includes('setup-closed')) return redirectTo('/portal/login');
  return setupPage(
    visit,
    typed,
    completed.problems.map((problem) => fieldErrorOf(problem, FIELDS)),
  );
}

const FIELDS = {
  ...FIELD_OF_PROBLEM,
  'organization-name-empty': 'organization',
  'organization-name-too-long': 'organization',
  'organization-name-malformed': 'organization',
};

type Typed = { readonly token: string; readonly email: string; readonly organization: string };

function setupPage(visit: Visit, typed: Typed, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action="/portal/setup" button="Create first user">
      <p>This form creates the first user, who is an administrator. You can use it only once.</p>
      <input type="hidden" name="token" value={typed.token} />
      <EmailField value={typed.email} autocomplete="username" errors={errors} />
      <NewPasswordField label="Password" errors={errors} />
      <Field
        name="organization"
        label="Name of your organization"
        value={typed.organization}
        help="The organization owns the properties that you protect. You can change its name later."
        autocomplete="organization"
        errors={errors}
      />
    </Form>
  );
  return linkPage(visit, 'setup', { title: TITLE, content, errors });
}

function noLinkPage(visit: Visit, status: 200 | 403) {
  const reason =
    status === 403
      ? sentenceFor('setup-token-wrong')
      : 'There are no users yet. The server printed a setup link to its standard output when it started.';
  const content = (
    <>
      <p>{reason}</p>
      <p>
        The line begins with <code>Setup link:</code>. Each start of the server prints a new link and
        invalidates the previous one.
      </p>
      <p>You can also create the first user on the command line:</p>
      <pre>postern users create --email YOU@EXAMPLE.COM --admin --password-stdin</pre>
    </>
  );
  return linkPage(visit, 'setup', { title: TITLE, content, status, asksForLink: true });
}
