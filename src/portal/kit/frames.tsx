import type { OwnedOrganization } from '../../model/organization.ts';
import { type Link, Tabs } from '../components/navigation.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { OrganizationVisit, PropertyVisit, SignedInVisit } from './handler.ts';
import type { Page } from './layout.tsx';
import { SYSTEM_PATH } from './paths.ts';
import { page } from './responses.tsx';

/** The name of an organization. If another user owns it, the owner's email address distinguishes it from others. */
export function organizationLabel(
  { signedIn }: Pick<SignedInVisit, 'signedIn'>,
  { name, ownerId, ownerEmail }: OwnedOrganization,
): string {
  return ownerId === signedIn.account.id ? name : `${name} (${ownerEmail})`;
}

/** @returns the path to an organization, and to another object of it */
export function organizationCrumbs(
  visit: { readonly organization: { readonly name: string }; readonly organizationPath: string },
  more: readonly Link[] = [],
): readonly Link[] {
  const { organization, organizationPath } = visit;
  return [
    ['/portal/orgs', t('kit.navigation.organizations')],
    [organizationPath, organization.name],
    ...more,
  ];
}

/** The tabs by the rest of their paths. */
const ORGANIZATION_TABS = {
  '': 'properties',
  '/api-keys': 'apiKeys',
  '/members': 'members',
  '/activity': 'activity',
  '/settings': 'settings',
} as const;

/**
 * A page of an organization, with its breadcrumbs and tabs.
 *
 * @param tab the current tab
 * @param contents with the name of the tab as the default title
 */
export function organizationPage(
  visit: OrganizationVisit,
  tab: keyof typeof ORGANIZATION_TABS,
  contents: Omit<Page, 'title'> & { readonly title?: string },
): Response {
  const { organization, organizationPath } = visit;
  const tabs = Object.fromEntries(
    Object.entries(ORGANIZATION_TABS).map(([rest, name]) => [rest, t(`organizations.tabs.${name}`)]),
  );
  return page(visit, {
    title: t(`organizations.tabs.${ORGANIZATION_TABS[tab]}`),
    object: organization.name,
    breadcrumbs: organizationCrumbs(visit).slice(0, tab === '' && contents.title === undefined ? 1 : 2),
    views: <Tabs path={organizationPath} tabs={tabs} current={tab} />,
    ...contents,
  });
}

type PropertyTab = '' | '/integration' | '/playground' | '/rules' | '/settings';

function propertyTabs(): Readonly<Record<PropertyTab, string>> {
  return {
    '': t('properties.tabs.dashboard'),
    '/integration': t('properties.tabs.integration'),
    '/playground': t('properties.tabs.playground'),
    '/rules': t('properties.tabs.rules'),
    '/settings': t('properties.tabs.settings'),
  };
}

/**
 * A page of a property, with its breadcrumbs and tabs, and a warning if the property is disabled.
 *
 * @param tab the current tab
 * @param contents with the name of the tab as the default title
 */
export function propertyPage(
  visit: PropertyVisit,
  tab: PropertyTab,
  contents: Omit<Page, 'title'> & { readonly title?: string },
) {
  const { property, propertyPath } = visit;
  const tabs = propertyTabs();
  const content = (
    <>
      {!property.isEnabled && (
        <p class="warning">
          {rich('properties.disabled', {
            link: (text) => <a href={`${propertyPath}/settings#state`}>{text}</a>,
          })}
        </p>
      )}
      {contents.content}
    </>
  );
  return page(visit, {
    title: tabs[tab],
    object: property.name,
    breadcrumbs: organizationCrumbs(visit, tab === '' ? [] : [[propertyPath, property.name]]),
    views: <Tabs path={propertyPath} tabs={tabs} current={tab} />,
    ...contents,
    content,
  });
}

type SystemTab = '' | '/users' | '/plans' | '/rules' | '/statistics' | '/settings';

/** A page about the installation, with its tabs. */
export function systemPage(visit: SignedInVisit, tab: SystemTab, contents: Page): Response {
  const tabs: Readonly<Record<SystemTab, string>> = {
    '': t('admin.tabs.overview'),
    '/users': t('admin.tabs.users'),
    '/plans': t('admin.tabs.plans'),
    '/rules': t('rules.title'),
    '/statistics': t('admin.tabs.statistics'),
    '/settings': t('admin.tabs.settings'),
  };
  const views = <Tabs path={SYSTEM_PATH} tabs={tabs} current={tab} />;
  return page(visit, { object: t('admin.system'), views, ...contents });
}

/** The breadcrumbs of the pages below the list of users. */
export function userCrumbs(): readonly Link[] {
  return [
    [SYSTEM_PATH, t('admin.system')],
    [`${SYSTEM_PATH}/users`, t('admin.tabs.users')],
  ];
}
