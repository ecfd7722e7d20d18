import { type Html, html } from '../../../lib/html.ts';
import { card, field, form, type Mistake, moment, submit } from '../components/parts.tsx';
import { personName } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { isOwner, ownedAt, refusal } from '../kit/owned.ts';
import { type OrganizationPlace, organizationAt, organizationTabs } from '../kit/place.tsx';
import { notFound, redirectSaying } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

/** `GET /portal/orgs/:org/settings`. */
export async function showOrganizationSettings(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await organizationAt(visit, deps);
  if (place === undefined) return notFound(visit);
  if (!isOwner(visit, place)) return memberPage(visit, deps, place);
  return ownerPage(visit, place, place.organization.name);
}

/** `POST /portal/orgs/:org/settings`: another name. */
export async function renameOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const place = await ownedAt(visit, deps);
  if (place instanceof Response) return place;
  const name = fieldOf(visit.form, 'name');
  const caller = visit.actor;
  const renamed = await deps.organizations.rename(caller, place.organization.id, name);
  if (renamed.ok) {
    const { id, name: subject } = renamed.value;
    await deps.audit.recordAct(caller, { action: 'organization-renamed', organizationId: id, subject });
    return redirectSaying(deps, `${place.path}/settings`, 'The name was changed.');
  }
  const isAboutName = renamed.problem.startsWith('organization-name');
  return isAboutName
    ? ownerPage(visit, place, name, [mistakeOf(renamed.problem, 'name')])
    : refusal(visit, renamed.problem);
}

function ownerPage(
  visit: SignedInVisit,
  place: OrganizationPlace,
  typed: string,
  mistakes: readonly Mistake[] = [],
): Response {
  const { path } = place;
  const name = { name: 'name', label: 'Name', value: typed, autocomplete: 'organization' } as const;
  const content = html`${field(name, mistakes)}${submit('Save')}`;
  const transfer = html`<p>You own this organization. To give it to another member, choose them among the
<a href="${path}/members">members</a>. You stay as a member, and can leave then.</p>`;
  const removal = html`<p>Its sites stop at once, and its name is free again.</p>
<p><a class="button danger" href="${path}/delete">Delete this organization</a></p>`;
  const body = html`${card('Name', form({ visit, action: `${path}/settings`, content }))}${card('Ownership', transfer)}${card('Delete', removal)}`;
  return settingsPage(visit, place, body, mistakes);
}

async function memberPage(
  visit: SignedInVisit,
  deps: PortalDeps,
  place: OrganizationPlace,
): Promise<Response> {
  const { organization, path } = place;
  const members = await deps.members.list(visit.actor, organization.id);
  if (!members.ok) return notFound(visit);
  const owner = members.value.find(({ role }) => role === 'owner');
  const own = members.value.find(({ accountId }) => accountId === visit.who.account.id);
  const facts = html`<dl>
<div><dt>Owner</dt><dd>${owner === undefined ? '' : personName(owner)}</dd></div>
<div><dt>Your role</dt><dd>Member${own === undefined ? '' : html`, since ${moment(own.since)}`}</dd></div>
</dl>
<p>The owner alone changes its name, invites people and deletes it.</p>`;
  const leaving = html`<p>You reach its sites no more then, nor do your API keys.</p>
<p><a class="button danger" href="${path}/leave">Leave this organization</a></p>`;
  return settingsPage(visit, place, html`${card('About', facts)}${card('Leave', leaving)}`);
}

function settingsPage(
  visit: SignedInVisit,
  place: OrganizationPlace,
  body: Html,
  mistakes: readonly Mistake[] = [],
): Response {
  const content = html`${organizationTabs(place, '/settings')}${body}`;
  const status = mistakes.length === 0 ? 200 : 422;
  return page(visit, { title: 'Settings', content, status, mistakes });
}
