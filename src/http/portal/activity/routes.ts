import { type Route, route } from '../kit/route.ts';
import {
  exportAudit,
  exportAuditJson,
  exportOrganizationAudit,
  exportOrganizationAuditJson,
  showAudit,
  showOrganizationAudit,
} from './auditLog.tsx';
import { redirectToAudit, redirectToAuditFile, redirectToTask, redirectToTasks } from './redirects.ts';
import { showOrganizationTask, showTask } from './taskDetails.tsx';
import { showOrganizationTasks, showTasks } from './taskList.tsx';

// biome-ignore format: a table reads best with a row on a line
export const ACTIVITY_ROUTES: readonly Route[] = [
  route('GET', '/portal/activity', 'session', showAudit),
  route('GET', '/portal/activity/audit.csv', 'session', exportAudit),
  route('GET', '/portal/activity/audit.json', 'session', exportAuditJson),
  route('GET', '/portal/activity/tasks', 'session', showTasks),
  route('GET', '/portal/activity/tasks/:task', 'task', showTask),
  route('GET', '/portal/orgs/:org/activity', 'organization', showOrganizationAudit),
  route('GET', '/portal/orgs/:org/activity/audit.csv', 'organization', exportOrganizationAudit),
  route('GET', '/portal/orgs/:org/activity/audit.json', 'organization', exportOrganizationAuditJson),
  route('GET', '/portal/orgs/:org/activity/tasks', 'organization', showOrganizationTasks),
  route('GET', '/portal/orgs/:org/activity/tasks/:task', 'organizationTask', showOrganizationTask),
  route('GET', '/portal/audit', 'session', redirectToAudit),
  route('GET', '/portal/audit.csv', 'session', redirectToAuditFile),
  route('GET', '/portal/tasks', 'session', redirectToTasks),
  route('GET', '/portal/tasks/:task', 'task', redirectToTask),
];
