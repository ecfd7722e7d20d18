/**
 * The sections of the documentation that the portal links to: the path of a page after `/docs/`, and the anchor of a heading. A test
 * checks that each of them exists.
 */
export const HELP_TOPICS = [
  'how-to/portal',
  'how-to/portal#create-the-first-user',
  'how-to/portal#protect-the-first-website',
  'how-to/portal#manage-properties',
  'how-to/portal#invite-members',
  'how-to/portal#transfer-or-delete-an-organization',
  'how-to/portal#set-up-two-factor-authentication',
  'how-to/portal#create-api-keys',
  'how-to/portal#read-statistics',
  'how-to/portal#follow-tasks',
  'how-to/portal#read-the-audit-log',
  'how-to/portal#administer-the-system',
  'how-to/verify-on-your-backend',
  'reference/portal#sessions',
  'reference/limits',
  'configuration',
] as const;

/** A section of the documentation. */
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** @returns the path of a section of the documentation on this server */
export function helpPath(topic: HelpTopic): string {
  return `/docs/${topic}`;
}
