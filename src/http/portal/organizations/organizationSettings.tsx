import { type Html, html } from '../../../lib/html.ts';
import { card, field, form, type Mistake, moment, submit } from '../components/parts.tsx';
import { personName } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeFor } from '../kit/messages.ts';
import { organizationTabs } from '../kit/place.tsx';
import { accessLost, notFound, redirectSaying } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/route.ts';
import { ORGANIZATION_FIELDS } from './organizationList.tsx';

/** `GET /portal/orgs/:org/settings`. */
export function showOrganizationSettings(
  visit: OrganizationVisit,
  deps: PortalDeps,
): Promise<Response> | Response {
  return visit.isOwner ? ownerPage(visit, visit.organization.name) : memberPage(visit, deps);
}

/** `POST /portal/orgs/:org/settings`: another name. */
export async function renameOrganization(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const name = fieldOf(visit.form, 'name');
  const caller = visit.actor;
  const renamed = await deps.organizations.rename(caller, visit.organization.id, name);
  if (renamed.ok) {
    const { id, name: subject } = renamed.value;
    await deps.audit.recordAct(caller, { action: 'organization-renamed', organizationId: id, subject });
    return redirectSaying(deps, `${visit.organizationPath}/settings`, 'The name was changed.');
  }
  return ORGANIZATION_FIELDS[renamed.problem] === undefined
    ? accessLost(visit, renamed.problem)
    : ownerPage(visit, name, [mistakeFor(renamed.problem, ORGANIZATION_FIELDS)]);
}

function ownerPage(visit: OrganizationVisit, typed: string, mistakes: readonly Mistake[] = []): Response {
  const { organizationPath: path } = visit;
  const name = { name: 'name', label: 'Name', value: typed, autocomplete: 'organization' } as const;
  const content = html`${field(name, mistakes)}${submit('Save')}`;
  const transfer = html`<p>You own this organization. To give it to another member, choose them among the
<a href="${path}/members">members</a>. You stay as a member, and can leave then.</p>`;
  const removal = html`<p>Its sites stop at once, and its name is free again.</p>
<p><a class="button danger" href="${path}/delete">Delete this organization</a></p>`;
  const body = html`${card('Name', form({ visit, action: `${path}/settings`, content }))}${card('Ownership', transfer)}${card('Delete', removal)}`;
  return settingsPage(visit, body, mistakes);
}

async function memberPage(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const { organization, organizationPath: path } = visit;
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
  return settingsPage(visit, html`${card('About', facts)}${card('Leave', leaving)}`);
}

function settingsPage(visit: OrganizationVisit, body: Html, mistakes: readonly Mistake[] = []): Response {
  const content = html`${organizationTabs(visit, '/settings')}${body}`;
  return page(visit, { title: 'Settings', content, mistakes });
}
