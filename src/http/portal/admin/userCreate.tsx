import { newPasswordLinkPage } from '../account/passwordLink.tsx';
import { EmailField } from '../components/accountFields.tsx';
import { Checkbox, Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { page } from '../kit/responses.tsx';
import { userCrumbs } from './systemTabs.tsx';
import { USERS_PATH } from './userList.tsx';

const PATH = `${USERS_PATH}/new`;

const BLANK = { email: '', name: '', isAdmin: false };

/** Creates a user without a password, and shows the link that lets the user choose a password. */
export async function createUser(visit: SignedInVisit, deps: PortalDeps) {
  const typed = {
    email: fieldOf(visit.form, 'email'),
    name: fieldOf(visit.form, 'name').trim(),
    isAdmin: fieldOf(visit.form, 'admin') === 'on',
  };
  const name = typed.name === '' ? undefined : typed.name;
  const draft = { ...typed, name, password: undefined };
  const created = await deps.users.create(visit.actor, draft);
  if (!created.ok) return showNewUser(visit, deps, typed, [fieldErrorOf(created.problem)]);
  return newPasswordLinkPage(visit, deps, created.value, t('admin.newUser.created'));
}

export function showNewUser(visit: SignedInVisit, _: PortalDeps, typed = BLANK, errors: FieldErrors = []) {
  const content = (
    <Form visit={visit} action={PATH} button={t('admin.newUser.button')} cancelPath={USERS_PATH}>
      <p>{t('admin.newUser.intro')}</p>
      <EmailField value={typed.email} autocomplete="off" errors={errors} />
      <Field
        name="name"
        label={t('admin.newUser.name')}
        value={typed.name}
        help={t('admin.newUser.nameHelp')}
        isOptional
        autocomplete="off"
        errors={errors}
      />
      <Checkbox
        name="admin"
        label={t('admin.newUser.administrator')}
        help={t('admin.newUser.administratorHelp')}
        isChecked={typed.isAdmin}
      />
    </Form>
  );
  return page(visit, { title: t('admin.newUser.title'), breadcrumbs: userCrumbs(), content, errors });
}
