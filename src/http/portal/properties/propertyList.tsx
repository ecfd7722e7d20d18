import type { Page } from '../../../lib/page.ts';
import { PROPERTY_ORDERS, type PropertyOrder, type Slice } from '../../../model/ports/property.ts';
import type { Property } from '../../../model/property.ts';
import type { Children } from '../../jsx/elements.ts';
import { Card } from '../components/card.tsx';
import { CopyButton } from '../components/copyable.tsx';
import { Select } from '../components/field.tsx';
import { LinkButton, SearchForm } from '../components/form.tsx';
import { Pager, Table } from '../components/table.tsx';
import { Moment } from '../components/time.tsx';
import { PropertyHead } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import type { OrganizationVisit, PortalDeps } from '../kit/handler.ts';
import { notFound } from '../kit/responses.tsx';
import { organizationPage } from '../organizations/organizationPage.tsx';

const PAGE_SIZE = 50;
/** The maximum number of pages of a search, because sorting 100,000 matches takes 0.3 seconds. */
const SEARCH_PAGES = 20;
/** The maximum length of a search text: that of a domain name, which is longer than any property name. */
const TEXT_MAX_LENGTH = 253;

const ORDERS: Readonly<Record<PropertyOrder, string>> = {
  name_asc: 'Name, A to Z',
  name_desc: 'Name, Z to A',
  date_desc: 'Newest first',
  date_asc: 'Oldest first',
};

type Wanted = { readonly text: string; readonly order: PropertyOrder; readonly page: number };

/** The properties of an organization. The query can have `q`, `sort`, and `page`. */
export async function showProperties(visit: OrganizationVisit, deps: PortalDeps) {
  const wanted = wantedIn(visit.query);
  const { text, order } = wanted;
  const slice: Slice = { offset: wanted.page * PAGE_SIZE, limit: PAGE_SIZE, order };
  const { id } = visit.organization;
  const found = await deps.properties.page(visit.actor, id, slice, text);
  if (!found.ok) return notFound(visit);
  const isNew = found.value.items.length === 0 && text === '' && wanted.page === 0;
  const content = isNew ? (
    <Card title="Properties">
      <p class="empty">This organization has no properties yet.</p>
      <LinkButton path={`${visit.organizationPath}/first-property`}>Protect your first property</LinkButton>
    </Card>
  ) : (
    <PropertyList visit={visit} deps={deps} wanted={wanted} found={found.value} />
  );
  return organizationPage(visit, '', { content, head: <PropertyHead /> });
}

/** Reads the query. Invalid values count as missing. */
function wantedIn(query: URLSearchParams): Wanted {
  const text = (query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH);
  const order = PROPERTY_ORDERS.find((one) => one === query.get('sort')) ?? 'name_asc';
  const given = query.get('page') ?? '';
  const number = /^\d{1,9}$/.test(given) ? Number(given) : 0;
  return { text, order, page: text === '' ? number : Math.min(number, SEARCH_PAGES - 1) };
}

function PropertyList(props: {
  readonly visit: OrganizationVisit;
  readonly deps: PortalDeps;
  readonly wanted: Wanted;
  readonly found: Page<Property>;
}) {
  const { visit, deps, wanted, found } = props;
  const { text, order, page: number } = wanted;
  const isLast = text !== '' && number === SEARCH_PAGES - 1;
  const pathOf = (page: number) =>
    withQuery(visit.organizationPath, { q: text, sort: order, page: String(page) });
  return (
    <>
      <LinkButton path={`${visit.organizationPath}/new`}>Create property</LinkButton>
      <PropertySearch path={visit.organizationPath} wanted={wanted} />
      <Card title="Properties">
        <Table
          caption={text === '' ? ORDERS[order] : `Matches for “${text}”`}
          head={['Name', 'Domain', 'Sitekey', 'Created', 'State']}
          rows={found.items.map((one) => rowOf(visit, deps, one))}
          empty={
            text === '' ? 'There are no more properties.' : `No name, domain, or sitekey contains “${text}”.`
          }
        />
      </Card>
      {isLast && found.hasMore && (
        <p class="help">There are more matches. Enter a longer search text to find them.</p>
      )}
      <Pager page={number} hasMore={found.hasMore && !isLast} pathOf={pathOf} />
    </>
  );
}

function rowOf(
  { organizationPath }: OrganizationVisit,
  { ids }: PortalDeps,
  property: Property,
): readonly Children[] {
  const { id, name, domain, sitekey, createdAt, isEnabled } = property;
  const own = ids.seal('property', id);
  return [
    <a href={`${organizationPath}/properties/${own}`}>
      <bdi>{name}</bdi>
    </a>,
    <bdi>{domain}</bdi>,
    <span class="key">
      <code id={`key-${own}`}>{sitekey}</code>{' '}
      <CopyButton of={`key-${own}`} name={`the sitekey of ${name}`} />
    </span>,
    <Moment instant={createdAt} />,
    isEnabled ? 'Enabled' : <span class="badge bad">Disabled</span>,
  ];
}

function PropertySearch(props: { readonly path: string; readonly wanted: Wanted }) {
  const { text, order } = props.wanted;
  return (
    <SearchForm action={props.path} button="Show">
      <div class="field">
        <label for="q">Name, domain, or sitekey</label>
        <input
          id="q"
          name="q"
          type="search"
          value={text}
          maxlength={TEXT_MAX_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </div>
      <Select name="sort" label="Order" value={order} options={ORDERS} />
    </SearchForm>
  );
}
