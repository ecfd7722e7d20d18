import type { Outcome } from '../../../lib/outcome.ts';
import type { SystemFacts } from '../../../model/system.ts';
import { Tabs } from '../components/navigation.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/handler.ts';

export const SYSTEM_PATH = '/portal/system';

const TABS = {
  '': 'Overview',
  '/users': 'Users',
  '/plans': 'Plans',
  '/statistics': 'Statistics',
  '/settings': 'Settings',
} as const;

export function SystemTabs({ current }: { readonly current: keyof typeof TABS }) {
  return <Tabs path={SYSTEM_PATH} tabs={TABS} current={current} />;
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
