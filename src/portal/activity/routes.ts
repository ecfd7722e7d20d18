import type { SignedInVisit, TaskVisit } from '../kit/handler.ts';
import { ACTIVITY_PATH, TASKS_PATH } from '../kit/paths.ts';
import { redirectTo } from '../kit/responses.tsx';
import { type Route, route } from '../kit/route.ts';
import { exportAudit, exportOrganizationAudit, showAudit, showOrganizationAudit } from './auditLog.tsx';
import { showOrganizationTask, showTask } from './taskDetails.tsx';
import { showOrganizationTasks, showTasks } from './taskList.tsx';

// biome-ignore format: a table reads best with a row on a line
export const ACTIVITY_ROUTES: readonly Route[] = [
  route('GET', '/portal/activity', 'session', showAudit),
  route('GET', '/portal/activity/audit.csv', 'session', exportAudit('csv')),
  route('GET', '/portal/activity/audit.json', 'session', exportAudit('json')),
  route('GET', '/portal/activity/tasks', 'session', showTasks),
  route('GET', '/portal/activity/tasks/:task', 'task', showTask),
  route('GET', '/portal/orgs/:org/activity', 'organization', showOrganizationAudit),
  route('GET', '/portal/orgs/:org/activity/audit.csv', 'organization', exportOrganizationAudit('csv')),
  route('GET', '/portal/orgs/:org/activity/audit.json', 'organization', exportOrganizationAudit('json')),
  route('GET', '/portal/orgs/:org/activity/tasks', 'organization', showOrganizationTasks),
  route('GET', '/portal/orgs/:org/activity/tasks/:task', 'organizationTask', showOrganizationTask),
  route('GET', '/portal/audit', 'session', redirectToAudit),
  route('GET', '/portal/audit.csv', 'session', redirectToAuditFile),
  route('GET', '/portal/tasks', 'session', redirectToTasks),
  route('GET', '/portal/tasks/:task', 'task', redirectToTask),
];

/** The paths of these pages in version 0.1. */

function redirectToAudit({ query }: SignedInVisit): Response {
  return redirectTo(withOldQuery(ACTIVITY_PATH, query));
}

function redirectToAuditFile({ query }: SignedInVisit): Response {
  return redirectTo(withOldQuery(`${ACTIVITY_PATH}/audit.csv`, query));
}

function redirectToTasks(): Response {
  return redirectTo(TASKS_PATH);
}

function redirectToTask({ task }: TaskVisit): Response {
  return redirectTo(`${TASKS_PATH}/${task.id}`);
}

/** The old filter had one field for actor and object. */
function withOldQuery(path: string, query: URLSearchParams): string {
  const fields = [...query].map(([name, value]): [string, string] => [
    name === 'text' ? 'object' : name,
    value,
  ]);
  return fields.length === 0 ? path : `${path}?${new URLSearchParams(fields)}`;
}
