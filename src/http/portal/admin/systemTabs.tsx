import type { Outcome } from '../../../lib/outcome.ts';
import type { SystemFacts } from '../../../model/system.ts';
import { type Link, Tabs } from '../components/navigation.tsx';
import { t } from '../i18n/t.ts';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';

export const SYSTEM_PATH = '/portal/system';

type Tab = '' | '/users' | '/plans' | '/rules' | '/statistics' | '/settings';

/** Links to the pages about the installation. */
export function SystemTabs({ current }: { readonly current: Tab }) {
  const tabs: Readonly<Record<Tab, string>> = {
    '': t('admin.tabs.overview'),
    '/users': t('admin.tabs.users'),
    '/plans': t('admin.tabs.plans'),
    '/rules': t('rules.title'),
    '/statistics': t('admin.tabs.statistics'),
    '/settings': t('admin.tabs.settings'),
  };
  return <Tabs path={SYSTEM_PATH} tabs={tabs} current={current} />;
}

/** The breadcrumbs of the pages below the list of users. */
export function userCrumbs(): readonly Link[] {
  return [
    [SYSTEM_PATH, t('admin.system')],
    [`${SYSTEM_PATH}/users`, t('admin.tabs.users')],
  ];
}

/** The facts about the installation. @throws if the user is not an administrator, which the guard prevents */
export async function factsFor(visit: SignedInVisit, { describeSystem }: PortalDeps): Promise<SystemFacts> {
  return granted(await describeSystem(visit.actor));
}

/** The value of an outcome that is never rejected for an administrator. @throws if it was rejected */
export function granted<T>(outcome: Outcome<T, 'admin-only'>): T {
  if (!outcome.ok) throw new Error('A user who is not an administrator opened a page for administrators.');
  return outcome.value;
}
