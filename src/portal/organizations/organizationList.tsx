import type { Children } from '../../jsx/elements.ts';
import { ORGANIZATION_ORDERS } from '../../model/ports/statistics.ts';
import type { OrganizationSummary } from '../../platform/overview/overview.ts';
import { AttackBadge } from '../components/attackMode.tsx';
import { Field, formState } from '../components/field.tsx';
import { FilterField, Form, SearchForm, TEXT_MAX_LENGTH } from '../components/form.tsx';
import { lastDayCells, lastDayHead, RatesHelp } from '../components/lastDay.tsx';
import {
  CreateOrganizationLink,
  isShort,
  NoOrganizations,
  Pager,
  Results,
  Table,
} from '../components/sections.tsx';
import { grouped, NameLink } from '../components/values.tsx';
import { t, texts } from '../i18n/t.tsx';
import { fieldErrorOf, fieldOf, pageNumberOf } from '../kit/forms.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectWithNotice } from '../kit/pages.tsx';
import { ORGANIZATIONS_PATH, organizationPath, withQuery } from '../kit/paths.ts';
import { orderIn, unknownOrder } from '../kit/sorting.ts';

const PAGE_SIZE = 25;

/** The organizations of the user. The query can have `q`, `sort`, and `page`. */
export async function showOrganizations(visit: SignedInVisit, deps: PortalDeps) {
  const text = (visit.query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH);
  const number = pageNumberOf(visit.query);
  const order = orderIn(visit.query, ORGANIZATION_ORDERS);
  if (order === undefined) return unknownOrder(visit);
  const slice = { text, order, offset: number * PAGE_SIZE, limit: PAGE_SIZE };
  const pathOf = (at: number, sort: string = order) =>
    withQuery(ORGANIZATIONS_PATH, { q: text, sort, page: String(at) });
  const { items, hasMore } = await deps.overview.organizations(visit.actor, slice);
  const isFiltered = text !== '';
  const isEmpty = items.length === 0 && !isFiltered && number === 0;
  const shown = { page: number, size: PAGE_SIZE, count: items.length, hasMore, isFiltered };
  const content = isEmpty ? (
    <NoOrganizations />
  ) : (
    <section class="card">
      <div class="list-heading">
        <h2>{t('organizations.list.heading')}</h2>
        {!isShort(shown) && (
          <SearchForm action={ORGANIZATIONS_PATH} button={t('home.list.filter')} order={order} isLive>
            <FilterField label={t('organizations.list.text')} text={text} />
          </SearchForm>
        )}
      </div>
      <Results of={shown}>
        <Table
          hiddenCaption={t('organizations.list.caption')}
          head={[...texts('organizations.list', 'organization', 'properties', 'members'), ...lastDayHead()]}
          numeric={[1, 2, 4, 5, 6, 7]}
          sorting={{ columns: SORTED, order, pathOf: (sort) => pathOf(0, sort) }}
          rows={items.map((one) => rowOf(one, deps))}
          empty={t('organizations.list.noMatches')}
        />
        <RatesHelp />
        <Pager page={number} hasMore={hasMore} pathOf={(at) => pathOf(at)} />
      </Results>
    </section>
  );
  const title = t('organizations.list.title');
  return page(visit, { title, content, ...(!isEmpty && { actions: <CreateOrganizationLink /> }) });
}

/** The columns by which the list can be sorted. */
const SORTED = { 0: ['name', 'asc'], 1: ['properties', 'desc'], 2: ['members', 'desc'] } as const;

function rowOf(organization: OrganizationSummary, deps: PortalDeps): readonly Children[] {
  const { id, name, role, ownerEmail, properties, members, lastDay } = organization;
  return [
    <div class="object">
      <NameLink path={organizationPath(deps, id)} name={name} />
      <AttackBadge of={organization} />
      <span class="soft">
        {role === 'owner' ? t('organizations.ownedByYou') : t('organizations.ownedBy', { email: ownerEmail })}
      </span>
    </div>,
    grouped(properties),
    grouped(members),
    ...lastDayCells(lastDay),
  ];
}

export async function createOrganization(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const created = await deps.organizations.create(visit.actor, { name, ownerId: visit.actor.user });
  if (!created.ok) return showNewOrganization(visit, deps, formState(name, [fieldErrorOf(created.problem)]));
  const notice = t('organizations.create.done', { name: created.value.name });
  return redirectWithNotice(deps, organizationPath(deps, created.value.id), notice);
}

export function showNewOrganization(visit: SignedInVisit, _: PortalDeps, { typed, errors } = formState('')) {
  const title = t('organizations.create.button');
  const content = (
    <Form visit={visit} action={ORGANIZATIONS_PATH} button={title} cancelPath={ORGANIZATIONS_PATH}>
      <p>{t('organizations.create.explanation')}</p>
      <Field
        name="name"
        label={t('organizations.name')}
        help={t('organizations.create.nameHelp')}
        value={typed}
        autocomplete="organization"
        errors={errors}
      />
    </Form>
  );
  const breadcrumbs = [[ORGANIZATIONS_PATH, t('organizations.list.title')]] as const;
  return page(visit, { title, breadcrumbs, content, errors });
}
