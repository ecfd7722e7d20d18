import { expect, test } from 'bun:test';
import { HELP_TOPICS, helpTopicOf } from '../../../src/http/help.ts';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { addUser, createBrowserClient, signedIn } from '../../support/portal.ts';
import { useServer } from '../../support/useServer.ts';

/** Links from the portal to the documentation. test/http/docs checks that the pages and headings exist. */

const server = useServer({ settings: { POSTERN_DEMO: 'on' } });
const plain = useServer({ settings: { POSTERN_SWAGGER: 'off' } });

const helpIn = (page: string) => /<a class="help" href="([^"]+)"/.exec(page)?.[1];

test.each([
  ['/portal', 'how-to/portal'],
  ['/portal/setup', 'how-to/portal#create-the-first-user'],
  ['/portal/login?return=%2Fportal%2Ftasks', 'reference/portal#sessions'],
  ['/portal/orgs/x', 'how-to/portal#manage-properties'],
  ['/portal/orgs/x/settings', 'how-to/portal#transfer-or-delete-an-organization'],
  ['/portal/orgs/x/members/invite', 'how-to/portal#invite-members'],
  ['/portal/orgs/x/properties/y?range=30d', 'how-to/portal#read-statistics'],
  ['/portal/orgs/x/properties/y/settings', 'how-to/portal#manage-properties'],
  ['/portal/orgs/x/properties/y/integration', 'how-to/verify-on-your-backend'],
  ['/portal/settings/api-keys/new', 'how-to/portal#create-api-keys'],
  ['/portal/system/settings', 'configuration'],
  ['/portal/system/users/z', 'how-to/portal#administer-the-system'],
])('the help of %s is %s', (address, topic) => {
  expect(helpTopicOf(address)).toBe(topic as ReturnType<typeof helpTopicOf>);
});

test('every topic is the help of a page', () => {
  const used = new Set(PORTAL_ROUTES.map(({ path }) => helpTopicOf(path)));
  expect(HELP_TOPICS.filter((topic) => !used.has(topic))).toEqual([]);
});

test('pages link to their help, for visitors and for users', async () => {
  const user = await signedIn(server, await addUser(server));
  const visitor = createBrowserClient(server);
  expect(helpIn((await visitor.get('/portal/login')).text)).toBe('/docs/reference/portal#sessions');
  for (const [path, help] of [
    ['/portal', '/docs/how-to/portal'],
    ['/portal/settings/api-keys', '/docs/how-to/portal#create-api-keys'],
    ['/portal/activity', '/docs/how-to/portal#read-the-audit-log'],
    ['/portal/nothing', '/docs/how-to/portal'],
  ] as const) {
    expect([path, helpIn((await user.get(path)).text)]).toEqual([path, help]);
  }
});

test('the navigation links to the documentation, and to the API and the demo if they are on', async () => {
  const links = (page: string) =>
    ['/docs', '/swagger', '/demo'].filter((path) => page.includes(`<a href="${path}"`));
  const all = await signedIn(server, await addUser(server));
  expect(links((await all.get('/portal')).text)).toEqual(['/docs', '/swagger', '/demo']);
  const few = await signedIn(plain, await addUser(plain));
  expect(links((await few.get('/portal')).text)).toEqual(['/docs']);
});
