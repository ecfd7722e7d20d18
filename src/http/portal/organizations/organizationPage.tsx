import { organizationCrumbs, Tabs } from '../components/navigation.tsx';
import { t } from '../i18n/t.ts';
import type { OrganizationVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { page } from '../kit/responses.tsx';

/** The tabs by the rest of their paths. */
const TABS = {
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
  tab: keyof typeof TABS,
  contents: Omit<Page, 'title'> & { readonly title?: string },
): Response {
  const { organization, organizationPath } = visit;
  const tabs = Object.fromEntries(
    Object.entries(TABS).map(([rest, name]) => [rest, t(`organizations.tabs.${name}`)]),
  );
  return page(visit, {
    title: t(`organizations.tabs.${TABS[tab]}`),
    object: organization.name,
    breadcrumbs: organizationCrumbs(visit).slice(0, tab === '' && contents.title === undefined ? 1 : 2),
    views: <Tabs path={organizationPath} tabs={tabs} current={tab} />,
    ...contents,
  });
}
