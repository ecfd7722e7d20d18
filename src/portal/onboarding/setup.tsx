import { EmailField, NewPasswordField } from '../components/accountFields.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Field, type FormState, fieldsFor, formState } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { pageContext } from '../i18n/pageContext.ts';
import { rich, t } from '../i18n/t.tsx';
import { FIELD_OF_PROBLEM, fieldErrorOf, fieldOf, fieldsOf, sentenceFor } from '../kit/forms.ts';
import type { PortalDeps, Visit } from '../kit/handler.ts';
import { redirectTo, redirectWithNotice } from '../kit/pages.tsx';
import { clearLink, linkPage, openedToken } from '../kit/secretLink.tsx';
import { startSession } from '../kit/sessionStart.ts';

/** Shows the form for the first user if the setup link was opened; otherwise, explains where to find the link. */
export async function showSetup(visit: Visit, deps: PortalDeps) {
  const { setup } = deps.authentication;
  if (!(await setup.isOpen())) return redirectTo('/portal/login');
  const token = openedToken(visit, deps, 'setup');
  if (token === '') return noLinkPage(visit, 200);
  return setup.accepts(token)
    ? setupPage(visit, formState({ token, name: '', email: '', organization: '' }))
    : noLinkPage(visit, 403);
}

export async function completeSetup(visit: Visit, deps: PortalDeps) {
  const { setup, sessions } = deps.authentication;
  if (!(await setup.isOpen())) return redirectWithNotice(deps, '/portal/login', sentenceFor('setup-closed'));
  const typed = fieldsOf(visit.form, ['token', 'name', 'email', 'organization']);
  const input = { ...typed, organizationName: typed.organization, password: fieldOf(visit.form, 'password') };
  const completed = await setup.complete(input, visit.clientInfo);
  if (completed.ok) {
    const started = await sessions.start(completed.value.account, visit.clientInfo);
    return clearLink(deps, await startSession(visit, deps, started, redirectTo('/portal/first-property')));
  }
  if (completed.problems.includes('setup-token-wrong')) return noLinkPage(visit, 403);
  if (completed.problems.includes('setup-closed')) return redirectTo('/portal/login');
  const errors = completed.problems.map((problem) => fieldErrorOf(problem, FIELDS));
  return setupPage(visit, formState(typed, errors));
}

const FIELDS = {
  ...FIELD_OF_PROBLEM,
  'organization-name-empty': 'organization',
  'organization-name-too-long': 'organization',
  'organization-name-malformed': 'organization',
};

type Typed = Readonly<Record<'token' | 'name' | 'email' | 'organization', string>>;

function setupPage(visit: Visit, form: FormState<Typed>) {
  const { typed, errors } = form;
  const field = fieldsFor('setup', form);
  const content = (
    <Form visit={visit} action="/portal/setup" button={t('setup.button')}>
      <p>{t('setup.about')}</p>
      <input type="hidden" name="token" value={typed.token} />
      <Field {...field('name')} autocomplete="name" isFocused={errors.length === 0} />
      <EmailField value={typed.email} autocomplete="username" isFocused={false} errors={errors} />
      <NewPasswordField label={t('account.fields.password')} errors={errors} />
      <Field {...field('organization')} autocomplete="organization" />
    </Form>
  );
  return linkPage(visit, 'setup', { title: t('setup.title'), content, errors });
}

function noLinkPage(visit: Visit, status: 200 | 403) {
  const { keepsSetupLink } = pageContext().facts;
  const reason =
    status === 200
      ? t('setup.noUsers')
      : keepsSetupLink
        ? t('setup.otherLink')
        : sentenceFor('setup-token-wrong');
  const command = 'postern users create --email YOU@EXAMPLE.COM --admin';
  const content = (
    <>
      <p>{reason}</p>
      <p>
        {rich('setup.findLink')} {t(keepsSetupLink ? 'setup.keepsLink' : 'setup.changesLink')}
      </p>
      <p>{t('setup.command')}</p>
      <Copyable id="command" text={command} label={t('setup.copyCommand')} />
    </>
  );
  return linkPage(visit, 'setup', { title: t('setup.title'), content, status, asksForLink: true });
}
