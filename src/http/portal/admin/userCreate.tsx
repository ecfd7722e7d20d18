import { newPasswordLinkPage } from '../account/passwordLink.tsx';
import { Checkbox, Field, type FieldError } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Breadcrumbs } from '../components/navigation.tsx';
import { fieldOf } from '../kit/formData.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import type { PortalDeps } from '../kit/portalDeps.ts';
import { page } from '../kit/responses.tsx';
import type { SignedInVisit } from '../kit/visit.ts';
import { USERS_PATH } from './userList.tsx';

const PATH = `${USERS_PATH}/new`;

type Typed = { readonly email: string; readonly name: string; readonly isAdmin: boolean };

/** `GET /portal/system/users/new`. */
export function showNewUser(visit: SignedInVisit): Response {
  return newUserPage(visit, { email: '', name: '', isAdmin: false });
}

/** `POST …/new`: creates a user without a password, and shows the link with which the user chooses one. */
export async function createUser(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { form: fields } = visit;
  const typed: Typed = {
    email: fieldOf(fields, 'email'),
    name: fieldOf(fields, 'name').trim(),
    isAdmin: fieldOf(fields, 'admin') === 'on',
  };
  const name = typed.name === '' ? undefined : typed.name;
  const draft = { ...typed, name, password: undefined };
  const created = await deps.authentication.accounts.create(visit.actor, draft);
  if (!created.ok) return newUserPage(visit, typed, [fieldErrorOf(created.problem)]);
  return newPasswordLinkPage(visit, deps, created.value, 'The user was created');
}

function newUserPage(visit: SignedInVisit, typed: Typed, errors: readonly FieldError[] = []): Response {
  const content = (
    <>
      <Breadcrumbs links={[[USERS_PATH, 'Users']]} />
      <Form visit={visit} action={PATH} button="Create user" cancelPath={USERS_PATH}>
        <p>The next page shows a link that you send to the user, who chooses a password with it.</p>
        <Field
          name="email"
          label="Email address"
          type="email"
          value={typed.email}
          isLiteral
          autocomplete="off"
          isFocused={errors.length === 0}
          errors={errors}
        />
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
