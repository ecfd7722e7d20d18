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
  'how-to/portal#share-a-dashboard',
  'how-to/portal#follow-tasks',
  'how-to/portal#read-the-audit-log',
  'how-to/portal#administer-the-system',
  'how-to/rules',
  'how-to/rules#test-a-request',
  'how-to/rules#provide-geoip-files',
  'how-to/verify-on-your-backend',
  'reference/portal#sessions',
  'reference/portal#traffic',
  'reference/limits',
  'configuration',
] as const;

/** A section of the documentation. */
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** @returns the path of a section of the documentation on this server */
export function helpPath(topic: HelpTopic): string {
  return `/docs/${topic}`;
}

/** The topic of each page of the portal: the first pattern that matches its path. */
const TOPIC_OF_PAGE: readonly (readonly [RegExp, HelpTopic])[] = [
  [/^\/portal\/setup/, 'how-to/portal#create-the-first-user'],
  [/^\/portal\/(login|forgot-password|confirm|password)/, 'reference/portal#sessions'],
  [/^\/portal\/settings\/security\/two-factor/, 'how-to/portal#set-up-two-factor-authentication'],
  [/^\/portal\/settings\/security/, 'reference/portal#sessions'],
  [/\/api-keys/, 'how-to/portal#create-api-keys'],
  [/\/first-property/, 'how-to/portal#protect-the-first-website'],
  [/\/integration$/, 'how-to/verify-on-your-backend'],
  [/\/rules\/test$/, 'how-to/rules#test-a-request'],
  [/^\/portal\/system\/rules$/, 'how-to/rules#provide-geoip-files'],
  [/\/rules(\/|$)/, 'how-to/rules'],
  [/\/properties\/[^/]+\/share/, 'how-to/portal#share-a-dashboard'],
  [/\/properties\/[^/]+$|\/statistics|^\/portal\/shared/, 'how-to/portal#read-statistics'],
  [
    /^\/portal\/orgs\/[^/]+\/(settings|delete|leave)|\/transfer$/,
    'how-to/portal#transfer-or-delete-an-organization',
  ],
  [/\/traffic/, 'reference/portal#traffic'],
  [/\/members|^\/portal\/invitation/, 'how-to/portal#invite-members'],
  [/\/tasks/, 'how-to/portal#follow-tasks'],
  [/\/(audit|activity)/, 'how-to/portal#read-the-audit-log'],
  [/^\/portal\/orgs\/[^/]+|^\/portal\/playground/, 'how-to/portal#manage-properties'],
  [/^\/portal\/system\/settings/, 'configuration'],
  [/^\/portal\/system\/plans/, 'reference/limits'],
  [/^\/portal\/system/, 'how-to/portal#administer-the-system'],
];

/** @param address the path of a page of the portal, with or without a query */
export function helpTopicOf(address: string): HelpTopic {
  const [path = ''] = address.split('?');
  return TOPIC_OF_PAGE.find(([pattern]) => pattern.test(path))?.[1] ?? 'how-to/portal';
}
