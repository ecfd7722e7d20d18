/** The audit log of the user and of the user's organizations; of the installation for administrators. */
export const ACTIVITY_PATH = '/portal/activity';

/** The tasks of the user. */
export const TASKS_PATH = `${ACTIVITY_PATH}/tasks`;

/** @returns the path of an organization's activity. @param organizationPath of its first page */
export function activityPathOf(organizationPath: string): string {
  return `${organizationPath}/activity`;
}
