import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { later, SECOND } from '../../../src/lib/time.ts';
import type { Tab } from '../../support/browser.ts';
import { idsOf } from '../../support/platform.ts';
import { beginSession } from '../../support/portal.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';
import { look, overflowOf } from './screens.ts';

/** The pages with recent requests, in a browser. */

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let tenant: Tenant;
let path: string;
let tab: Tab;
let user: PortalUser;

beforeAll(async () => {
  const settings = { POSTERN_TRAFFIC_DETAILS: 'on', POSTERN_TRUSTED_PROXIES: '127.0.0.0/8,::1' };
  server = await startServer({ settings });
  const url = server.url.replace('127.0.0.1', 'localhost');
  tenant = await addTenant(server, { name: 'Shop' });
  const { org, property } = idsOf(server, tenant);
  path = `/portal/orgs/${org}/properties/${property}/traffic`;
  user = await openPortalUser(url);
  tab = user.tab;
  const { secret } = await beginSession(server, tenant.account);
  await tab.cdp('Network.setCookie', { url, name: 'postern-session', value: secret, httpOnly: true });
});
afterAll(async () => {
  tab.close();
  await server.stop();
});

/** The clock advances, so that every rejection is recorded. */
async function attack(address: string, host = 'evil.example'): Promise<void> {
  server.clock.now = later(server.clock.now, SECOND);
  const headers = { Origin: `https://${host}`, 'X-Forwarded-For': address, 'User-Agent': 'curl/8.5.0' };
  await fetch(`${server.url}/puzzle?sitekey=${tenant.property.sitekey}`, { headers });
}

/** The number of pixels by which the widest table exceeds its card. */
const WIDEST_TABLE = `Math.max(...[...document.querySelectorAll('.card')].map((one) => one.scrollWidth - one.clientWidth))`;
const askNow = () => tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))");
/** At these widths, no table is wider than its card. */
async function fits(): Promise<void> {
  for (const width of [768, 900, 1024, 1280]) {
    await look(tab, 'light', width);
    expect([width, await overflowOf(tab), await tab.evaluate<number>(WIDEST_TABLE)]).toEqual([width, 0, 0]);
  }
}

const shows = (text: string) => `document.querySelector('.report').textContent.includes('${text}')`;

test('are accessible, small, and fit narrow windows', async () => {
  for (let count = 0; count < 60; count++) {
    await attack(`198.51.${count}.7`, `a-host-with-a-rather-long-name-${count}.evil.example`);
    await attack(`2001:db8:${count}::7`, 'bot.example');
  }
  const payload = await fetchAndSolve(server.url, tenant.property.sitekey);
  for (let count = 0; count < 3; count++) await verify(server.url, tenant.verifyKey, payload);
  await user.go(path);
  await user.expectGood('traffic');
  await fits();
  await user.go(path.replace(/\/properties\/[^/]+/, ''));
  await user.expectGood('traffic-organization');
  await fits();
});

test('show new rejections without a reload, unless the updates are paused', async () => {
  await user.go(path);
  await tab.until("!document.querySelector('.pause').hidden");
  await attack('203.0.113.7');
  await askNow();
  await tab.until(shows('203.0.113.0/24'));
  await tab.click("document.querySelector('.pause')");
  await attack('192.0.2.7');
  const requests = tab.requests.length;
  await askNow();
  await tab.evaluate('new Promise((done) => setTimeout(done, 0))');
  expect(tab.requests).toHaveLength(requests);
  expect(await tab.evaluate<boolean>(shows('192.0.2.0/24'))).toBe(false);
  await tab.click("document.querySelector('.pause')");
  await tab.until(shows('192.0.2.0/24'));
});
