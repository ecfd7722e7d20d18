import { organizationCrumbs, Tabs } from '../components/navigation.tsx';
import type { PropertyVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { page } from '../kit/responses.tsx';

const TABS = {
  '': 'Dashboard',
  '/integration': 'Integration',
  '/playground': 'Playground',
  '/settings': 'Settings',
} as const;

/**
 * A page of a property, with its breadcrumbs and tabs, and a warning if the property is disabled.
 *
 * @param tab the current tab
 * @param contents with the name of the tab as the default title
 */
export function propertyPage(
  visit: PropertyVisit,
  tab: keyof typeof TABS,
  contents: Omit<Page, 'title'> & { readonly title?: string },
) {
  const { property, propertyPath } = visit;
  const content = (
    <>
      {!property.isEnabled && (
        <p class="warning">
          This property is disabled: it issues no puzzles, and its solutions are rejected.{' '}
          <a href={`${propertyPath}/settings#state`}>Change this</a>
        </p>
      )}
      {contents.content}
    </>
  );
  return page(visit, {
    title: TABS[tab],
    object: property.name,
    breadcrumbs: organizationCrumbs(visit, tab === '' ? [] : [[propertyPath, property.name]]),
    views: <Tabs path={propertyPath} tabs={TABS} current={tab} />,
    ...contents,
    content,
  });
}
