import { type Html, html } from '../../../lib/html.ts';
import { PROPERTY_ORDERS, type PropertyOrder, type Slice } from '../../../model/ports/property.ts';
import type { Property } from '../../../model/property.ts';
import type { Page as Found } from '../../../platform/properties.ts';
import { select } from '../components/choices.tsx';
import { card, moment, pager, table } from '../components/parts.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { organizationTabs } from '../kit/place.tsx';
import { notFound } from '../kit/responses.tsx';
import type { OrganizationVisit, PortalDeps } from '../kit/route.ts';

const PAGE_SIZE = 50;
/** Pages that a search shows at most: sorting a hundred thousand sites that are found would take 0.3 seconds. */
const SEARCH_PAGES = 20;
/** Longer than any name or domain that there is. */
const TEXT_MAX_LENGTH = 253;

const ORDERS: Readonly<Record<PropertyOrder, string>> = {
  name_asc: 'Name, from A',
  name_desc: 'Name, from Z',
  date_desc: 'Newest first',
  date_asc: 'Oldest first',
};

type Wanted = { readonly text: string; readonly order: PropertyOrder; readonly page: number };

/** `GET /portal/orgs/:org?q=&sort=&page=`: the sites of an organization. */
export async function showProperties(visit: OrganizationVisit, deps: PortalDeps): Promise<Response> {
  const wanted = wantedIn(visit.query);
  const { text, order } = wanted;
  const slice: Slice = { offset: wanted.page * PAGE_SIZE, limit: PAGE_SIZE, order };
  const actor = visit.actor;
  const { id, name } = visit.organization;
  const found =
    text === ''
      ? await deps.properties.page(actor, id, slice)
      : await deps.properties.search(actor, id, text, slice);
  if (!found.ok) return notFound(visit);
  const isNew = found.value.properties.length === 0 && text === '' && wanted.page === 0;
  const list = isNew ? nothingYet(visit) : listOf(visit, deps, wanted, found.value);
  const content = html`${organizationTabs(visit, '')}${list}`;
  return page(visit, { title: name, content, head: <PropertyHead /> });
}

/** What the query asks for; what it says wrong is as if it were not there. */
function wantedIn(query: URLSearchParams): Wanted {
  const text = (query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH);
  const order = PROPERTY_ORDERS.find((one) => one === query.get('sort')) ?? 'name_asc';
  const given = query.get('page') ?? '';
  const number = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  return { text, order, page: text === '' ? number : Math.min(number, SEARCH_PAGES - 1) };
}

function nothingYet({ organizationPath }: OrganizationVisit): Html {
  const content = html`<p class="empty">No site is protected here yet.</p>
<p><a class="button" href="${organizationPath}/first-site">Protect your first site</a></p>`;
  return card('Sites', content);
}

function listOf(visit: OrganizationVisit, deps: PortalDeps, wanted: Wanted, found: Found): Html {
  const { text, order, page: number } = wanted;
  const isLast = text !== '' && number === SEARCH_PAGES - 1;
  const pathOf = (page: number) =>
    withQuery(visit.organizationPath, { q: text, sort: order, page: String(page) });
  const rows = found.properties.map((one) => rowOf(visit, deps, one));
  const narrow = html`<p class="help">There are more. Search for something longer to find them.</p>
`;
  const list = table({
    caption: text === '' ? ORDERS[order] : `Found for “${text}”`,
    head: ['Name', 'Domain', 'Sitekey', 'Since', 'State'],
    rows,
    empty: text === '' ? 'There are no more sites.' : `No name, domain or sitekey has “${text}” in it.`,
  });
  return html`<p><a class="button" href="${visit.organizationPath}/new">New site</a></p>
${searchForm(visit, wanted)}${card('Sites', list)}${isLast && found.hasMore ? narrow : ''}${pager({ page: number, hasMore: found.hasMore && !isLast, pathOf })}`;
}

function rowOf(
  { organizationPath }: OrganizationVisit,
  { ids }: PortalDeps,
  property: Property,
): readonly (string | Html)[] {
  const { id, name, domain, sitekey, createdAt, isEnabled } = property;
  const own = ids.seal('property', id);
  return [
    html`<a href="${organizationPath}/properties/${own}"><bdi>${name}</bdi></a>`,
    html`<bdi>${domain}</bdi>`,
    html`<span class="key"><code id="key-${own}">${sitekey}</code> <button type="button" class="quiet small" data-copy="key-${own}" aria-label="Copy the sitekey of ${name}" hidden>Copy</button></span>`,
    moment(createdAt),
    isEnabled ? 'Enabled' : html`<span class="badge bad">Disabled</span>`,
  ];
}

function searchForm({ organizationPath }: OrganizationVisit, { text, order }: Wanted): Html {
  return html`<form method="get" action="${organizationPath}" class="filter" role="search">
<div class="field">
<label for="q">Name, domain or sitekey</label>
<input id="q" name="q" type="search" value="${text}" maxlength="${TEXT_MAX_LENGTH}" autocomplete="off" autocapitalize="none" spellcheck="false">
</div>
${select({ name: 'sort', label: 'Order', value: order, options: ORDERS })}<button type="submit" class="quiet">Show</button>
</form>
`;
}
