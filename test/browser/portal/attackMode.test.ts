import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  addProperty,
  addPropertyOwner,
  type PropertyOwner,
  propertyPath,
} from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { addYearOfTraffic } from '../../support/traffic.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let owner: PropertyOwner;
let user: PortalUser;
let path: string;
let busyPath: string;

beforeAll(async () => {
  server = await startServer();
  owner = await addPropertyOwner(server);
  const property = await addProperty(server, owner);
  path = propertyPath(server, owner, property);
  const busy = await addProperty(server, owner, { name: 'Busy shop' });
  await addYearOfTraffic(server, busy.sitekey);
  busyPath = propertyPath(server, owner, busy);
  user = await openPortalUser(server.url.replace('127.0.0.1', 'localhost'));
  await user.signIn(owner.account.email, path);
});
afterAll(async () => {
  user.tab.close();
  await server.stop();
});

test('the banner of attack mode counts down, and disappears at the end', async () => {
  const { tab, press, textOf, expectGood, go } = user;
  await press('Start attack mode');
  const shown = await textOf('.countdown');
  expect(shown).toMatch(/^(?:60:00|59:\d\d)$/);
  await tab.until(`document.querySelector('.countdown').textContent < ${JSON.stringify(shown)}`);
  await expectGood('attack-mode');
  expect(await tab.evaluate("document.querySelector('.attack [aria-live], .attack[role]')")).toBeNull();
  await tab.evaluate("void (document.querySelector('.countdown').dataset.until = new Date().toISOString())");
  await tab.until("document.querySelector('.attack') === null");
  await go(owner.path);
  await expectGood('attack-mode-list');
  await go(path);
  await press('End attack mode');
  expect(await tab.evaluate("document.querySelector('.attack')")).toBeNull();
});

test('the page of a share link draws the chart, and updates without a session', async () => {
  const { tab, press, go, textOf, expectGood, isAt, confirm } = user;
  await go(busyPath);
  await press('Share');
  await expectGood('share-links');
  await press('Create link');
  const link = new URL(await textOf('#link')).pathname;
  await expectGood('share-link-created');
  await tab.cdp('Network.clearBrowserCookies');
  await go(link);
  await isAt('Busy shop');
  await tab.until("document.querySelector('.plot canvas') !== null");
  await tab.until("document.querySelector('.live')?.hidden === false");
  await expectGood('shared-dashboard');
  await user.signIn(owner.account.email, `${busyPath}/share`);
  await confirm(`Revoke link …${link.slice(-4)}`, 'share-link-revoke');
  await isAt('Share the dashboard');
  await go(link);
  await isAt('Not found');
});
