import type { Children } from '../../jsx/elements.ts';
import type { OrganizationSummary } from '../../platform/overview/overview.ts';
import { EmptyState } from '../components/card.tsx';
import { Field, type FieldErrors } from '../components/field.tsx';
import { FilterField, Form, SearchForm, TEXT_MAX_LENGTH } from '../components/form.tsx';
import { lastDayCells, lastDayHead } from '../components/lastDay.tsx';
import { NameLink } from '../components/names.tsx';
import { grouped } from '../components/numbers.ts';
import { Pager, Table } from '../components/table.tsx';
import { t } from '../i18n/t.ts';
import { fieldOf, pageNumberOf } from '../kit/formData.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { fieldErrorOf } from '../kit/messages.ts';
import { ORGANIZATIONS_PATH, organizationPath, withQuery } from '../kit/paths.ts';
import { page, redirectWithNotice } from '../kit/responses.tsx';

const NEW_ORGANIZATION_PATH = `${ORGANIZATIONS_PATH}/new`;

const PAGE_SIZE = 25;

/** The organizations of the user, by name. The query can have `q` and `page`. */
export async function showOrganizations(visit: SignedInVisit, deps: PortalDeps) {
  const text = (visit.query.get('q') ?? '').trim().slice(0, TEXT_MAX_LENGTH);
  const number = pageNumberOf(visit.query);
  const slice = { text, offset: number * PAGE_SIZE, limit: PAGE_SIZE };
  const { items, hasMore } = await deps.overview.organizations(visit.actor, slice);
  const isEmpty = items.length === 0 && text === '' && number === 0;
  const createLink = (
    <a class="button" href={NEW_ORGANIZATION_PATH}>
      {t('organizations.create.button')}
    </a>
  );
  const content = isEmpty ? (
    <EmptyState
      icon="organization"
      title={t('home.firstOrganization.title')}
      text={t('home.firstOrganization.text')}
      action={createLink}
    />
  ) : (
    <section class="card">
      <div class="list-heading">
        <h2>{t('organizations.list.heading')}</h2>
        <Filter text={text} />
      </div>
      <Table
        caption={t('organizations.list.caption')}
        isCaptionHidden
        head={[
          t('organizations.list.organization'),
          t('organizations.list.properties'),
          t('organizations.list.members'),
          ...lastDayHead(),
        ]}
        numeric={[1, 2, 4, 5, 6, 7]}
        rows={items.map((one) => rowOf(one, deps))}
        empty={t('organizations.list.noMatches')}
      />
      <Pager
        page={number}
        hasMore={hasMore}
        pathOf={(at) => withQuery(ORGANIZATIONS_PATH, { q: text, page: String(at) })}
      />
    </section>
  );
  const title = t('organizations.list.title');
  return page(visit, { title, content, ...(!isEmpty && { actions: createLink }) });
}

function rowOf(organization: OrganizationSummary, deps: PortalDeps): readonly Children[] {
  const { id, name, role, ownerEmail, properties, members, lastDay } = organization;
  return [
    <div class="object">
      <NameLink path={organizationPath(deps, id)} name={name} />
      <span class="soft">
        {role === 'owner' ? t('organizations.ownedByYou') : t('organizations.ownedBy', { email: ownerEmail })}
      </span>
    </div>,
    grouped(properties),
    grouped(members),
    ...lastDayCells(lastDay),
  ];
}

function Filter({ text }: { readonly text: string }) {
  return (
    <SearchForm action={ORGANIZATIONS_PATH} button={t('home.list.filter')}>
      <FilterField label={t('organizations.list.text')} text={text} />
    </SearchForm>
  );
}

export async function createOrganization(visit: SignedInVisit, deps: PortalDeps) {
  const name = fieldOf(visit.form, 'name');
  const created = await deps.organizations.create(visit.actor, { name, ownerId: visit.actor.user });
  if (!created.ok) return showNewOrganization(visit, deps, name, [fieldErrorOf(created.problem)]);
  const notice = t('organizations.create.done', { name: created.value.name });
  return redirectWithNotice(deps, organizationPath(deps, created.value.id), notice);
}

export function showNewOrganization(
  visit: SignedInVisit,
  _: PortalDeps,
  typed = '',
  errors: FieldErrors = [],
) {
  const content = (
    <Form
      visit={visit}
      action={ORGANIZATIONS_PATH}
      button={t('organizations.create.button')}
      cancelPath={ORGANIZATIONS_PATH}
    >
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
  return page(visit, {
    title: t('organizations.create.button'),
    breadcrumbs: [[ORGANIZATIONS_PATH, t('organizations.list.title')]],
    content,
    errors,
  });
}
