import { type Route, route } from '../kit/route.ts';
import { exportAudit, showAudit } from './auditLog.tsx';
import { showTask } from './taskDetails.tsx';
import { showTasks } from './taskList.tsx';

// biome-ignore format: a table reads best with a row on a line
export const ACTIVITY_ROUTES: readonly Route[] = [
  route('GET', '/portal/tasks', 'session', showTasks),
  route('GET', '/portal/tasks/:task', 'task', showTask),
  route('GET', '/portal/audit', 'session', showAudit),
  route('GET', '/portal/audit.csv', 'session', exportAudit),
];
