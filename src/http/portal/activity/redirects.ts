import type { SignedInVisit, TaskVisit } from '../kit/handler.ts';
import { redirectTo } from '../kit/responses.tsx';
import { ACTIVITY_PATH, TASKS_PATH } from './activityPaths.ts';

/** The paths of these pages in version 0.1. */

export function redirectToAudit({ query }: SignedInVisit): Response {
  return redirectTo(withOldQuery(ACTIVITY_PATH, query));
}

export function redirectToAuditFile({ query }: SignedInVisit): Response {
  return redirectTo(withOldQuery(`${ACTIVITY_PATH}/audit.csv`, query));
}

export function redirectToTasks(): Response {
  return redirectTo(TASKS_PATH);
}

export function redirectToTask({ task }: TaskVisit): Response {
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
