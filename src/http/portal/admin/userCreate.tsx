import { newPasswordLinkPage } from '../account/passwordLink.tsx';
import { EmailField } from '../components/accountFields.tsx';
import { Checkbox, Field, type FieldErrors } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { fieldOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { page } from '../kit/responses.tsx';
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
  return newPasswordLinkPage(visit, deps, created.value, 'The user was created');
}

export function showNewUser(visit: SignedInVisit, _: PortalDeps, typed = BLANK, errors: FieldErrors = []) {
  const content = (
    <>
      <Breadcrumbs links={[[USERS_PATH, 'Users']]} />
      <Form visit={visit} action={PATH} button="Create user" cancelPath={USERS_PATH}>
        <p>The next page shows a link. Send it to the user, who can use it to choose a password.</p>
        <EmailField value={typed.email} autocomplete="off" errors={errors} />
        <Field
          name="name"
          label="Name"
          value={typed.name}
          help="Default: the email address. The user can change the name."
          isOptional
          autocomplete="off"
          errors={errors}
        />
        <Checkbox
          name="admin"
          label="Administrator"
          help="Administrators can see and change everything in this installation, including users and their passwords."
          isChecked={typed.isAdmin}
        />
      </Form>
    </>
  );
  return page(visit, { title: 'Create user', content, errors });
}
