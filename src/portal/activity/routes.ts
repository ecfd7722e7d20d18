import type { SignedInVisit, TaskVisit } from '../kit/handler.ts';
import { redirectTo } from '../kit/pages.tsx';
import { ACTIVITY_PATH, TASKS_PATH } from '../kit/paths.ts';
import { type Route, route } from '../kit/route.ts';
import { exportAudit, showAudit } from './auditLog.tsx';
import { showTask, showTasks } from './tasks.tsx';

// biome-ignore format: a table reads best with a row on a line
export const ACTIVITY_ROUTES: readonly Route[] = [
  route('GET', '/portal/activity', 'session', showAudit),
  route('GET', '/portal/activity/audit.csv', 'session', exportAudit('csv')),
  route('GET', '/portal/activity/audit.json', 'session', exportAudit('json')),
  route('GET', '/portal/activity/tasks', 'session', showTasks),
  route('GET', '/portal/activity/tasks/:task', 'task', showTask),
  route('GET', '/portal/orgs/:org/activity', 'organization', showAudit),
  route('GET', '/portal/orgs/:org/activity/audit.csv', 'organization', exportAudit('csv')),
  route('GET', '/portal/orgs/:org/activity/audit.json', 'organization', exportAudit('json')),
  route('GET', '/portal/orgs/:org/activity/tasks', 'organization', showTasks),
  route('GET', '/portal/orgs/:org/activity/tasks/:task', 'organizationTask', showTask),
  // The paths in version 0.1.
  route('GET', '/portal/audit', 'session', ({ query }: SignedInVisit) => redirectTo(withOldQuery(ACTIVITY_PATH, query))),
  route('GET', '/portal/audit.csv', 'session', ({ query }: SignedInVisit) => redirectTo(withOldQuery(`${ACTIVITY_PATH}/audit.csv`, query))),
  route('GET', '/portal/tasks', 'session', () => redirectTo(TASKS_PATH)),
  route('GET', '/portal/tasks/:task', 'task', ({ task }: TaskVisit) => redirectTo(`${TASKS_PATH}/${task.id}`)),
];

/** The filter of version 0.1 had one field for actor and object. */
function withOldQuery(path: string, query: URLSearchParams): string {
  const fields = [...query].map(([name, value]): [string, string] => [
    name === 'text' ? 'object' : name,
    value,
  ]);
  return fields.length === 0 ? path : `${path}?${new URLSearchParams(fields)}`;
}
