/** The components as template functions, until all pages are JSX. */
import type { Html } from '../../../lib/html.ts';
import { toHtml } from '../../jsx/bridge.tsx';
import { Breadcrumbs, OrganizationNavigation, Tabs } from '../components/navigation.tsx';
import type { OrganizationVisit } from './route.ts';

export function organizationTabs(
  visit: OrganizationVisit,
  current: Parameters<typeof OrganizationNavigation>[0]['current'],
): Html {
  return toHtml(<OrganizationNavigation visit={visit} current={current} />);
}

export function crumbs(links: readonly (readonly [string, string])[]): Html {
  return toHtml(<Breadcrumbs links={links} />);
}

export function tabs(path: string, all: Readonly<Record<string, string>>, current: string | undefined): Html {
  return toHtml(<Tabs path={path} tabs={all} current={current} />);
}
