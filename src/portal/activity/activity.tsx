import { Tabs } from '../components/navigation.tsx';
import { t } from '../i18n/t.tsx';
import { organizationOf, type UserOrOrganizationVisit } from '../kit/handler.ts';
import type { Page } from '../kit/layout.tsx';
import { organizationPage, page } from '../kit/pages.tsx';
import { ACTIVITY_PATH } from '../kit/paths.ts';

/** The path of the audit log of the user, or of an organization. */
export function activityPathOf(visit: UserOrOrganizationVisit): string {
  const organization = organizationOf(visit);
  return organization === undefined ? ACTIVITY_PATH : `${organization.organizationPath}/activity`;
}

/** A page of the activity of the user, or of an organization. */
export function activityPage(visit: UserOrOrganizationVisit, contents: Page): Response {
  const organization = organizationOf(visit);
  return organization === undefined
    ? page(visit, contents)
    : organizationPage(organization, '/activity', contents);
}

/** Links to the two views of these pages. */
export function ActivityViews(props: {
  readonly visit: UserOrOrganizationVisit;
  readonly current: '' | '/tasks';
}) {
  const { visit, current } = props;
  const isOwn = organizationOf(visit) === undefined;
  const tabs = {
    '': t('activity.views.audit'),
    '/tasks': t(isOwn ? 'activity.views.ownTasks' : 'activity.views.tasks'),
  };
  const label = t('activity.views.label');
  return <Tabs path={activityPathOf(visit)} tabs={tabs} current={current} class="segments" label={label} />;
}
