import type { Html } from '../../../lib/html.ts';
import type { Outcome } from '../../../lib/outcome.ts';
import type { SystemFacts } from '../../../model/system.ts';
import { tabs } from '../kit/place.tsx';
import type { PortalDeps, SignedInVisit } from '../kit/route.ts';

export const SYSTEM_PATH = '/portal/system';

const TABS = {
  '': 'Overview',
  '/users': 'Users',
  '/plans': 'Plans',
  '/statistics': 'Statistics',
  '/settings': 'Settings',
} as const;

/** What else there is about the installation. */
export function systemTabs(here: keyof typeof TABS | undefined): Html {
  return tabs(SYSTEM_PATH, TABS, here);
}

/** The facts, for a page that is for administrators. @throws where somebody else asks: the guard has let nobody by */
export async function factsFor(visit: SignedInVisit, { describeSystem }: PortalDeps): Promise<SystemFacts> {
  return granted(await describeSystem(visit.actor));
}

/** What an administrator is never refused. @throws where it was refused after all */
export function granted<T>(outcome: Outcome<T, 'admin-only'>): T {
  if (!outcome.ok) throw new Error('a page for administrators was shown to somebody else');
  return outcome.value;
}
