import { organizationCrumbs, Tabs } from '../components/navigation.tsx';
import { rich } from '../i18n/rich.tsx';
import { t } from '../i18n/t.ts';
import type { PropertyVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { page } from '../kit/responses.tsx';

type PropertyTab = '' | '/integration' | '/playground' | '/rules' | '/settings';

function tabNames(): Readonly<Record<PropertyTab, string>> {
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
  const tabs = tabNames();
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
