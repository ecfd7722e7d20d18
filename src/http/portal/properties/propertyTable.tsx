import { OVERVIEW_ORDERS, OVERVIEW_STATES } from '../../../model/ports/overview.ts';
import type { PropertiesWanted, PropertySummary } from '../../../platform/overview/overview.ts';
import type { Children, Element } from '../../jsx/elements.ts';
import { Select } from '../components/field.tsx';
import { SearchForm } from '../components/form.tsx';
import { lastDayCells, lastDayHead } from '../components/lastDayCells.tsx';
import { Sitekey } from '../components/sitekey.tsx';
import { Pager, Table } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import { withQuery } from '../kit/formData.ts';
import type { PortalDeps } from '../kit/handler.ts';
import { organizationPath } from '../organizations/organizationLabel.ts';

const PAGE_SIZE = 25;
/** The maximum length of a search text: that of a domain name, which is longer than any property name. */
export const TEXT_MAX_LENGTH = 253;

type Wanted = Omit<PropertiesWanted, 'organizationId' | 'offset' | 'limit'> & { readonly page: number };

/** Reads `q`, `state`, `sort`, and `page`. Invalid values count as missing. */
function wantedIn(query: URLSearchParams): Wanted {
  const page = query.get('page') ?? '';
  return {
    text: (query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH),
    state: OVERVIEW_STATES.find((state) => state === query.get('state')),
    order: OVERVIEW_ORDERS.find((order) => order === query.get('sort')) ?? 'use_desc',
    page: /^\d{1,6}$/.test(page) ? Number(page) : 0,
  };
}

type ListVisit = {
  readonly actor: Parameters<PortalDeps['overview']['properties']>[0];
  readonly query: URLSearchParams;
  /** Undefined for the properties of all organizations. */
  readonly organization?: { readonly id: NonNullable<PropertiesWanted['organizationId']> };
};

/**
 * A page of a list of properties, with its filter.
 *
 * @param path of the page
 * @returns undefined if there is no property at all
 */
export async function propertyList(
  visit: ListVisit,
  deps: PortalDeps,
  path: string,
): Promise<Element | undefined> {
  const { page, ...wanted } = wantedIn(visit.query);
  const { text, state, order } = wanted;
  const organizationId = visit.organization?.id;
  const slice = { offset: page * PAGE_SIZE, limit: PAGE_SIZE };
  const found = await deps.overview.properties(visit.actor, { ...wanted, ...slice, organizationId });
  const isFiltered = text !== '' || state !== undefined || page > 0;
  if (found.items.length === 0 && !isFiltered) return undefined;
  const pathOf = (at: number) =>
    withQuery(path, { q: text, state: state ?? '', sort: order, page: String(at) });
  return (
    <section class="card">
      <div class="list-heading">
        <h2>{t('home.list.heading')}</h2>
        <Filter path={path} wanted={wanted} />
      </div>
      <Table
        caption={t('home.list.caption')}
        isCaptionHidden
        head={headOf()}
        numeric={[3, 4, 5, 6, 7]}
        rows={found.items.map((property) => rowOf(deps, property, organizationId === undefined))}
        empty={t('home.list.noMatches')}
      />
      {found.isCut && <p class="help">{t('home.list.cut')}</p>}
      <Pager page={page} hasMore={found.hasMore} pathOf={pathOf} />
    </section>
  );
}

function headOf(): readonly string[] {
  return [t('home.list.property'), t('home.list.sitekey'), ...lastDayHead(), t('home.list.difficulty')];
}

function rowOf(deps: PortalDeps, property: PropertySummary, hasOrganization: boolean): readonly Children[] {
  const { id, name, sitekey, level, difficulty, lastDay } = property;
  const own = deps.ids.seal('property', id);
  return [
    <PropertyCell deps={deps} property={property} hasOrganization={hasOrganization} />,
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

function PropertyCell(props: {
  readonly deps: PortalDeps;
  readonly property: PropertySummary;
  readonly hasOrganization: boolean;
}): Element {
  const { deps, property, hasOrganization } = props;
  const { organizationId, organizationName, name, domain, isEnabled } = property;
  const path = organizationPath(deps, organizationId);
  return (
    <div class="object">
      <a href={propertyPath(deps, property)}>
        <bdi>{name}</bdi>
      </a>{' '}
      {!isEnabled && <span class="badge bad">{t('home.list.disabled')}</span>}
      <span class="soft">
        <bdi>{domain}</bdi>
        {hasOrganization && (
          <>
            {' · '}
            <a href={path}>
              <bdi>{organizationName}</bdi>
            </a>
          </>
        )}
      </span>
    </div>
  );
}

/** @returns the path of the first page of a property */
export function propertyPath(
  deps: Pick<PortalDeps, 'ids'>,
  { id, organizationId }: Pick<PropertySummary, 'id' | 'organizationId'>,
): string {
  return `${organizationPath(deps, organizationId)}/properties/${deps.ids.seal('property', id)}`;
}

function Filter(props: { readonly path: string; readonly wanted: Omit<Wanted, 'page'> }): Element {
  const { text, state, order } = props.wanted;
  return (
    <SearchForm action={props.path} button={t('home.list.filter')}>
      <div class="field">
        <label for="filter-text">{t('home.list.text')}</label>
        <input
          id="filter-text"
          name="q"
          type="search"
          value={text}
          maxlength={TEXT_MAX_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </div>
      <Select
        name="state"
        label={t('home.list.state')}
        value={state ?? ''}
        options={{
          '': t('home.list.states.all'),
          disabled: t('home.list.states.disabled'),
          unverified: t('home.list.states.unverified'),
          spike: t('home.list.states.spike'),
        }}
      />
      <Select
        name="sort"
        label={t('home.list.order')}
        value={order}
        options={{
          use_desc: t('home.list.orders.use'),
          name_asc: t('home.list.orders.nameUp'),
          name_desc: t('home.list.orders.nameDown'),
          date_desc: t('home.list.orders.newest'),
          date_asc: t('home.list.orders.oldest'),
        }}
      />
    </SearchForm>
  );
}
