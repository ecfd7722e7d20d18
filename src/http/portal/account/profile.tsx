import { html } from '../../../lib/html.ts';
import { card, field, form, type Mistake, submit } from '../components/parts.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { type FieldOfProblem, mistakeFor } from '../kit/messages.ts';
import { redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

const PATH = '/portal/settings/profile';

/** `GET /portal/settings/profile`. */
export function showProfile(visit: SignedInVisit): Response {
  return profilePage(visit, visit.who.account.name);
}

/** `POST /portal/settings/profile`: another name. */
export async function changeProfile(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const name = fieldOf(visit.form, 'name');
  const renamed = await deps.authentication.rename(visit.who.account, name);
  if (renamed.ok) return redirectSaying(deps, PATH, 'Your name was changed.');
  return profilePage(visit, name, [mistakeFor(renamed.problem, FIELDS)]);
}

const FIELDS: FieldOfProblem<'name'> = {
  'account-name-empty': 'name',
  'account-name-too-long': 'name',
  'account-name-malformed': 'name',
};

function profilePage(visit: SignedInVisit, name: string, mistakes: readonly Mistake[] = []): Response {
  const { email, isAdmin } = visit.who.account;
  const help = 'How other members of your organizations see you.';
  const content = html`${field({ name: 'name', label: 'Name', value: name, help, autocomplete: 'name' }, mistakes)}${submit('Save')}`;
  const facts = html`<dl>
<div><dt>E-mail address</dt><dd>${email}</dd></div>
<div><dt>Role</dt><dd>${isAdmin ? 'Administrator of this installation' : 'User'}</dd></div>
</dl>`;
  const body = html`${card('Account', facts)}${card('Name', form({ visit, action: PATH, content }))}`;
  return page(visit, { title: 'Profile', content: body, mistakes });
}
