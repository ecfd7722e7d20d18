import { type Html, html } from '../../../lib/html.ts';
import type { OrganizationOverview } from '../../../model/organization.ts';
import { card, field, form, type Mistake, submit } from '../components/parts.tsx';
import { type Row, rowList } from '../components/rows.tsx';
import { fieldOf } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { type FieldOfProblem, mistakeFor } from '../kit/messages.ts';
import { redirectSaying, redirectTo } from '../kit/responses.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

/** `GET /portal`: the organizations of who is signed in. */
export function showHome(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  return homePage(visit, deps, '');
}

/** `GET /portal/orgs`: the address bar has it after a form that was not taken. */
export function leadHome(): Response {
  return redirectTo('/portal');
}

/** `POST /portal/orgs`: a new one. */
export async function createOrganization(visit: SignedInVisit, deps: PortalDeps): Promise<Response> {
  const name = fieldOf(visit.form, 'name');
  const actor = visit.actor;
  const created = await deps.organizations.createFor(actor, name);
  if (!created.ok) return homePage(visit, deps, name, [mistakeFor(created.problem, ORGANIZATION_FIELDS)]);
  const { id, name: subject } = created.value;
  await deps.audit.recordAct(actor, { action: 'organization-created', organizationId: id, subject });
  const path = `/portal/orgs/${deps.ids.seal('organization', id)}`;
  return redirectSaying(deps, path, `The organization “${subject}” was made.`);
}

/** The problems of an organization's name. */
export const ORGANIZATION_FIELDS: FieldOfProblem<'name'> = {
  'organization-name-empty': 'name',
  'organization-name-too-long': 'name',
  'organization-name-malformed': 'name',
  'organization-name-taken': 'name',
  'organizations-limit': 'name',
};

async function homePage(
  visit: SignedInVisit,
  { organizations, ids }: PortalDeps,
  typed: string,
  mistakes: readonly Mistake[] = [],
): Promise<Response> {
  const own = await organizations.overviewFor(visit.actor);
  const rows = own.map((one) => overviewRow(one, `/portal/orgs/${ids.seal('organization', one.id)}`));
  const list = card('Yours', own.length === 0 ? NONE : rowList(rows, ''));
  const content = html`${list}${nextStep(own)}${card('New organization', creation(visit, typed, mistakes))}`;
  return page(visit, { title: 'Organizations', content, mistakes });
}

const NONE = html`<p class="empty">You belong to no organization yet. Sites are protected by an organization: make one here, or
ask somebody to invite you to theirs.</p>
`;

function overviewRow(organization: OrganizationOverview, path: string): Row {
  const { name, role, ownerEmail, properties, members } = organization;
  const facts = [
    role === 'owner' ? 'Owner' : `Member; owned by ${ownerEmail}`,
    countOf(properties, 'site'),
    countOf(members, 'person', 'people'),
  ];
  return { name: html`<a href="${path}"><bdi>${name}</bdi></a>`, facts };
}

/** How many of something, in words. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Where nothing is protected yet, what to do about it. */
function nextStep(own: readonly OrganizationOverview[]): Html {
  const isIdle = own.length > 0 && own.every(({ properties }) => properties === 0);
  if (!isIdle) return html``;
  const content = html`<p>Nothing is protected yet. Name your site, put two lines into its page and one request into its
backend: it takes about five minutes.</p>
<p><a class="button" href="/portal/first-property">Protect your first property</a></p>`;
  return card('Next step', content);
}

function creation(visit: SignedInVisit, typed: string, mistakes: readonly Mistake[]): Html {
  const help = 'You will own it. Its members can manage its sites.';
  const name = { name: 'name', label: 'Name', value: typed, help, autocomplete: 'organization' } as const;
  const content = html`${field(name, mistakes)}${submit('Create')}`;
  return form({ visit, action: '/portal/orgs', content });
}
