import type { Children } from '../../jsx/elements.ts';
import type { AccountSummary } from '../../model/account.ts';
import type { OrganizationOverview } from '../../model/organization.ts';
import type { ListedProperty } from '../../model/ports/statistics.ts';
import type { SearchResults } from '../../platform/overview/overview.ts';
import { AttackBadge } from '../components/attackMode.tsx';
import { TEXT_MAX_LENGTH } from '../components/form.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { EmptyState } from '../components/sections.tsx';
import { NameLink } from '../components/values.tsx';
import { rich, t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';
import { page, redirectTo } from '../kit/pages.tsx';
import { organizationPath, propertyPath, withQuery } from '../kit/paths.ts';

/** Maximum number of results of each kind. */
const LIMIT = 20;

/** The results of a search over everything that the user can see. An exact sitekey leads directly to its property. */
export async function showSearch(visit: SignedInVisit, deps: PortalDeps) {
  const text = (visit.query.get('q') ?? '').trim();
  const found = await deps.overview.search(visit.actor, text.slice(0, TEXT_MAX_LENGTH + 1), LIMIT);
  if (found.exact !== undefined) return redirectTo(propertyPath(deps, found.exact));
  return page(visit, {
    title: t('home.search.title'),
    content: results(text, found, deps),
  });
}

type Group = {
  readonly title: string;
  readonly icon: IconName;
  readonly items: readonly Children[];
  /** The path of a list with all results; undefined if these are all. */
  readonly morePath: string | undefined;
};

function results(text: string, found: SearchResults, deps: PortalDeps) {
  const groups = groupsOf(text, found, deps).filter(({ items }) => items.length > 0);
  if (groups.length === 0) {
    return (
      <EmptyState
        icon="search"
        title={text === '' ? t('home.search.start') : t('home.search.none', { text: text.slice(0, 60) })}
        text={found.users === undefined ? t('home.search.scope') : t('home.search.scopeOfAdministrator')}
      />
    );
  }
  return (
    <>
      <p class="soft">{rich('home.search.for', { text: <bdi>{text}</bdi> })}</p>
      {groups.map(({ title, icon, items, morePath }) => (
        <section class="card results">
          <h2>{title}</h2>
          <ul>
            {items.map((item) => (
              <li>
                <Icon name={icon} />
                <div class="object">{item}</div>
              </li>
            ))}
          </ul>
          {morePath !== undefined && (
            <p>
              <a href={morePath}>{t('home.search.more')}</a>
            </p>
          )}
        </section>
      ))}
    </>
  );
}

function groupsOf(text: string, found: SearchResults, deps: PortalDeps): readonly Group[] {
  const { properties, organizations, users } = found;
  const moreAt = (path: string, { hasMore }: { readonly hasMore: boolean }) =>
    hasMore ? withQuery(path, { q: text }) : undefined;
  return [
    {
      title: t('home.search.properties'),
      icon: 'property',
      items: properties.items.map((property) => propertyItem(property, deps)),
      morePath: moreAt('/portal', properties),
    },
    {
      title: t('home.search.organizations'),
      icon: 'organization',
      items: organizations.items.map((organization) => organizationItem(organization, deps)),
      morePath: moreAt('/portal/orgs', organizations),
    },
    {
      title: t('home.search.users'),
      icon: 'user',
      items: users === undefined ? [] : users.items.map((user) => userItem(user, deps)),
      morePath: users && moreAt('/portal/system/users', users),
    },
  ];
}

function propertyItem(property: ListedProperty, deps: PortalDeps): Children {
  const { name, domain, organizationName, sitekey, isEnabled } = property;
  return (
    <>
      <NameLink path={propertyPath(deps, property)} name={name} />{' '}
      {!isEnabled && <span class="badge bad">{t('home.list.disabled')}</span>}
      <AttackBadge of={property} />
      <span class="soft">
        <bdi>{domain}</bdi>
        {' · '}
        <bdi>{organizationName}</bdi>
        {' · '}
        <code>{sitekey}</code>
      </span>
    </>
  );
}

function organizationItem(organization: OrganizationOverview, deps: PortalDeps): Children {
  const { id, name, role, ownerEmail, properties } = organization;
  return (
    <>
      <NameLink path={organizationPath(deps, id)} name={name} />
      <AttackBadge of={organization} />
      <span class="soft">
        {role === 'owner' ? t('organizations.ownedByYou') : t('organizations.ownedBy', { email: ownerEmail })}
        {' · '}
        {t('organizations.properties', { count: properties })}
      </span>
    </>
  );
}

function userItem({ id, name, email }: AccountSummary, deps: PortalDeps): Children {
  return (
    <>
      <NameLink path={`/portal/system/users/${deps.ids.seal('account', id)}`} name={name} />
      <span class="soft">{email}</span>
    </>
  );
}
