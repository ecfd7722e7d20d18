import { organizationCrumbs, Tabs } from '../components/navigation.tsx';
import type { OrganizationVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { page } from '../kit/responses.tsx';

const TABS = {
  '': 'Properties',
  '/api-keys': 'API keys',
  '/members': 'Members',
  '/activity': 'Activity',
  '/settings': 'Settings',
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
  return page(visit, {
    title: TABS[tab],
    object: organization.name,
    breadcrumbs: organizationCrumbs(visit).slice(0, tab === '' ? 1 : 2),
    views: <Tabs path={organizationPath} tabs={TABS} current={tab} />,
    ...contents,
  });
}
