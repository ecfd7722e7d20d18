import { html } from '../../../lib/html.ts';
import { newPasswordLinkPage } from '../account/passwordLink.tsx';
import { checkbox } from '../components/choices.tsx';
import { field, form, type Mistake, submit } from '../components/parts.tsx';
import { actOrCancel } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { type FieldOfProblem, mistakeFor } from '../kit/messages.ts';
import { crumbs } from '../kit/place.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';
import { USERS_PATH } from './userList.tsx';

const PATH = `${USERS_PATH}/new`;

const FIELDS: FieldOfProblem<keyof Typed> = {
  'email-malformed': 'email',
  'email-taken': 'email',
  'account-name-empty': 'name',
  'account-name-too-long': 'name',
  'account-name-malformed': 'name',
};

type Typed = { readonly email: string; readonly name: string; readonly isAdmin: boolean };

/** `GET /portal/system/users/new`. */
export function showNewUser(visit: SignedInVisit): Response {
  return newUserPage(visit, { email: '', name: '', isAdmin: false });
}

/** `POST …/new`: makes a user without a password, and shows the link with which that is chosen. */
export async function createUser(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const { form: fields } = visit;
  const typed: Typed = {
    email: fieldOf(fields, 'email'),
    name: fieldOf(fields, 'name').trim(),
    isAdmin: fieldOf(fields, 'admin') === 'on',
  };
  const name = typed.name === '' ? undefined : typed.name;
  const created = await deps.authentication.accounts.create({ ...typed, name, password: undefined });
  if (!created.ok) {
    return newUserPage(visit, typed, [mistakeFor(created.problem, FIELDS)]);
  }
  const { email, isAdmin } = created.value;
  const subject = isAdmin ? `${email}, an administrator` : email;
  await deps.audit.recordAct(visit.actor, { action: 'user-created', organizationId: undefined, subject });
  return newPasswordLinkPage(visit, deps, created.value, 'The user is made');
}

function newUserPage(visit: SignedInVisit, typed: Typed, mistakes: readonly Mistake[] = []): Response {
  const email = { name: 'email', label: 'E-mail address', type: 'email', value: typed.email } as const;
  const name = {
    name: 'name',
    label: 'Name',
    value: typed.name,
    help: 'Empty: the address is the name. The user can change it.',
    isOptional: true,
  };
  const admin = 'Sees and changes everything about this installation, users and their passwords too.';
  const content = html`<p>You get a link to hand on. With it the user chooses a password.</p>
${field({ ...email, isLiteral: true, autocomplete: 'off', isFocused: mistakes.length === 0 }, mistakes)}${field(
  { ...name, autocomplete: 'off' },
  mistakes,
)}${checkbox({ name: 'admin', label: 'Administrator', help: admin, isChecked: typed.isAdmin })}${actOrCancel(submit('Create the user'), USERS_PATH)}`;
  const body = html`${crumbs([[USERS_PATH, 'Users']])}${form({ visit, action: PATH, content })}`;
  return page(visit, { title: 'Create a user', content: body, mistakes });
}
