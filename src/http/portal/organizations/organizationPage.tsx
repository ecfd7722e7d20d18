import { OrganizationBreadcrumbs, Tabs } from '../components/navigation.tsx';
import type { OrganizationVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { page } from '../kit/responses.tsx';

const TABS = { '': 'Properties', '/members': 'Members', '/settings': 'Settings' } as const;

/** A page of an organization, with its breadcrumbs and tabs. @param tab the current tab */
export function organizationPage(visit: OrganizationVisit, tab: keyof typeof TABS, contents: Page): Response {
  const content = (
    <>
      <OrganizationBreadcrumbs visit={visit} />
      <Tabs path={visit.organizationPath} tabs={TABS} current={tab} />
      {contents.content}
    </>
  );
  return page(visit, { ...contents, content });
}
