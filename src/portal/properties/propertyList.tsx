import type { Children } from '../../jsx/elements.ts';
import { OVERVIEW_ORDERS, OVERVIEW_STATES } from '../../model/ports/statistics.ts';
import type { PropertiesWanted, PropertySummary } from '../../platform/overview/overview.ts';
import { AttackBadge, AttackButton } from '../components/attackMode.tsx';
import { Sitekey } from '../components/copyable.tsx';
import { Select } from '../components/field.tsx';
import { ButtonLink, FilterField, SearchForm, TEXT_MAX_LENGTH } from '../components/form.tsx';
import { lastDayCells, lastDayHead, RatesHelp } from '../components/lastDay.tsx';
import { EmptyState, isShort, Pager, Results, Table } from '../components/sections.tsx';
import { NameLink } from '../components/values.tsx';
import { options, t, texts } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import { pageNumberOf } from '../kit/forms.ts';
import type { OrganizationVisit, PortalDeps, Visit } from '../kit/handler.ts';
import { organizationPage } from '../kit/pages.tsx';
import { organizationPath, propertyPath, withQuery } from '../kit/paths.ts';
import { orderIn, unknownOrder } from '../kit/sorting.ts';

/** The properties of an organization. The query can have `q`, `state`, `sort`, and `page`. */
export async function showProperties(visit: OrganizationVisit, deps: PortalDeps) {
  const { organizationPath: path } = visit;
  const list = await propertyList(visit, deps, path);
  if (list instanceof Response) return list;
  const content = list ?? <NoProperties path={`${path}/first-property`} />;
  const actions = (
    <>
      {visit.isOwner && list !== undefined && (
        <AttackButton visit={visit} path={path} of={visit.organization} />
      )}
      <ButtonLink path={`${path}/import`} text={t('properties.transfer.link')} tone="quiet" />
      {list !== undefined && <ButtonLink path={`${path}/new`} text={t('home.createProperty')} />}
    </>
  );
  return organizationPage(visit, '', { content, actions, head: <Head of="property" /> });
}

/** For users who see no properties. @param props.path of the page for the first property */
export function NoProperties({ path }: { readonly path: string }) {
  return (
    <EmptyState
      icon="property"
      title={t('home.firstProperty.title')}
      text={t('home.firstProperty.text')}
      action={<ButtonLink path={path} text={t('home.firstProperty.action')} />}
    />
  );
}

const PAGE_SIZE = 25;

type Wanted = Omit<PropertiesWanted, 'organizationId' | 'offset' | 'limit'> & { readonly page: number };

/** Reads `q`, `state`, `sort`, and `page`. Invalid values count as missing, except an unknown order. @returns undefined for an unknown order */
function wantedIn(query: URLSearchParams): Wanted | undefined {
  const order = orderIn(query, OVERVIEW_ORDERS);
  if (order === undefined) return undefined;
  return {
    text: (query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH),
    state: OVERVIEW_STATES.find((state) => state === query.get('state')),
    order,
    page: pageNumberOf(query),
  };
}

type ListVisit = {
  readonly actor: Parameters<PortalDeps['overview']['properties']>[0];
  readonly query: URLSearchParams;
  /** Undefined for the properties of all organizations. */
  readonly organization?: { readonly id: NonNullable<PropertiesWanted['organizationId']> };
} & Visit;

/**
 * A page of a list of properties, with its filter.
 *
 * @param path of the page
 * @returns undefined if there is no property at all; the response for an unknown order
 */
export async function propertyList(visit: ListVisit, deps: PortalDeps, path: string) {
  const query = wantedIn(visit.query);
  if (query === undefined) return unknownOrder(visit);
  const { page, ...wanted } = query;
  const { text, state, order } = wanted;
  const organizationId = visit.organization?.id;
  const slice = { offset: page * PAGE_SIZE, limit: PAGE_SIZE };
  const found = await deps.overview.properties(visit.actor, { ...wanted, ...slice, organizationId });
  const isFiltered = text !== '' || state !== undefined;
  if (found.items.length === 0 && !isFiltered && page === 0) return undefined;
  const pathOf = (at: number, sort: string = order) =>
    withQuery(path, { q: text, state: state ?? '', sort, page: String(at) });
  const { items, hasMore } = found;
  const shown = { page, size: PAGE_SIZE, count: items.length, hasMore, isFiltered };
  return (
    <section class="card">
      <div class="list-heading">
        <h2>{t('home.list.heading')}</h2>
        {!isShort(shown) && filter(path, wanted)}
      </div>
      <Results of={shown}>
        <Table
          hiddenCaption={t('home.list.caption')}
          head={[...texts('home.list', 'property', 'sitekey'), ...lastDayHead(), t('home.list.difficulty')]}
          numeric={[3, 4, 5, 6, 7]}
          sorting={{ columns: SORTED, order, pathOf: (sort) => pathOf(0, sort) }}
          rows={items.map((property) => rowOf(deps, property, organizationId === undefined))}
          empty={t('home.list.noMatches')}
        />
        <RatesHelp />
        {found.isCut && <p class="help">{t('home.list.cut')}</p>}
        <Pager page={page} hasMore={hasMore} pathOf={(at) => pathOf(at)} />
      </Results>
    </section>
  );
}

/** The columns with the name and with the issued puzzles. */
const SORTED = { 0: ['name', 'asc'], 3: ['use', 'desc'] } as const;

function rowOf(deps: PortalDeps, property: PropertySummary, hasOrganization: boolean): readonly Children[] {
  const { id, name, sitekey, level, difficulty, lastDay } = property;
  const own = deps.ids.seal('property', id);
  return [
    propertyCell(deps, property, hasOrganization),
    <Sitekey sitekey={sitekey} id={`key-${own}`} name={name} />,
    ...lastDayCells(lastDay),
    difficulty === level ? (
      String(level)
    ) : (
      <>
        <strong>{difficulty}</strong>
        <span class="soft">{t('home.list.level', { level })}</span>
      </>
    ),
  ];
}

function propertyCell(deps: PortalDeps, property: PropertySummary, hasOrganization: boolean) {
  const { organizationId, organizationName, name, domain, isEnabled } = property;
  const path = organizationPath(deps, organizationId);
  return (
    <div class="object">
      <NameLink path={propertyPath(deps, property)} name={name} />{' '}
      {!isEnabled && <span class="badge bad">{t('home.list.disabled')}</span>}
      <AttackBadge of={property} />
      <span class="soft">
        <bdi>{domain}</bdi>
        {hasOrganization && (
          <>
            {' · '}
            <NameLink path={path} name={organizationName} />
          </>
        )}
      </span>
    </div>
  );
}

function filter(path: string, { text, state, order }: Omit<Wanted, 'page'>) {
  return (
    <SearchForm action={path} button={t('home.list.filter')} isLive>
      <FilterField label={t('home.list.text')} text={text} isLiteral />
      <Select
        name="state"
        label={t('home.list.state')}
        value={state ?? ''}
        options={{ '': t('home.list.states.all'), ...options('home.list.states', OVERVIEW_STATES) }}
      />
      <Select
        name="sort"
        label={t('home.list.order')}
        value={order}
        options={{
          use_desc: t('home.list.orders.use'),
          use_asc: t('home.list.orders.useUp'),
          name_asc: t('home.list.orders.nameUp'),
          name_desc: t('home.list.orders.nameDown'),
          date_desc: t('home.list.orders.newest'),
          date_asc: t('home.list.orders.oldest'),
        }}
      />
    </SearchForm>
  );
}
