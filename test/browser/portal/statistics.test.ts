import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Tab } from '../../support/browser.ts';
import { idsOf } from '../../support/platform.ts';
import { addUser, beginSession } from '../../support/portal.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { addYearOfTraffic } from '../../support/traffic.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';
import { CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';
import { look } from './screens.ts';

/** The pages with statistics, in a browser. */

setDefaultTimeout(2 * CASE_TIMEOUT_MS);

let server: TestServer;
let url: string;
let tenant: Tenant;
let path: string;
let tab: Tab;
let user: PortalUser;

beforeAll(async () => {
  server = await startServer();
  server.clock.now = Date.UTC(2026, 10, 20, 15, 30) as Instant;
  url = server.url.replace('127.0.0.1', 'localhost');
  tenant = await addTenant(server, { name: 'Shop', level: 100, growth: 'fast', allowance: 2 });
  path = pathOf(tenant);
  user = await openPortalUser(url);
  tab = user.tab;
});
afterAll(async () => {
  tab.close();
  await server.stop();
});

function pathOf(of: Tenant): string {
  const { org, property } = idsOf(server, of);
  return `/portal/orgs/${org}/properties/${property}`;
}

async function signIn(account: Tenant['account']): Promise<void> {
  const { secret } = await beginSession(server, account);
  await tab.cdp('Network.setCookie', { url, name: 'postern-session', value: secret, httpOnly: true });
}

const isDrawn = "document.querySelector('.chart canvas') !== null";
const show = (where: string) => user.go(where);
const textOf = (selector: string) => user.textOf(selector);
const expectGood = (name: string) => user.expectGood(name);
const figures = () =>
  tab.evaluate<Record<string, string>>(
    `Object.fromEntries([...document.querySelectorAll('.figures > div')].map((one) => [one.children[0].textContent, one.children[1].firstChild.textContent]))`,
  );
const picture = () => tab.evaluate<string>("document.querySelector('.chart canvas').toDataURL()");

/** The number of pixels of the chart with approximately this color. */
function pixelsOf(property: string): Promise<number> {
  return tab.evaluate(`(() => {
    const canvas = document.querySelector('.chart canvas');
    const probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.querySelector('.chart')).getPropertyValue('${property}').trim();
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const isNear = [0, 1, 2].every((part) => Math.abs(data[i + part] - wanted[part]) < 12);
      if (isNear && data[i + 3] > 200) count++;
    }
    return count;
  })()`);
}

test('the dashboard shows requests in its chart and its table', async () => {
  await signIn(tenant.account);
  await show(path);
  expect(await textOf('main')).toContain('No browser has requested a puzzle for this property yet;');
  await expectGood('dashboard-empty');

  const payloads = [];
  for (let i = 0; i < 4; i++) payloads.push(await fetchAndSolve(server.url, tenant.property.sitekey));
  for (const payload of payloads.slice(0, 3)) await verify(server.url, tenant.verifyKey, payload);
  for (let i = 0; i < 2; i++) await verify(server.url, tenant.verifyKey, payloads[0] ?? '');
  await server.app.flush();

  await show(path);
  await tab.until(isDrawn);
  expect(await figures()).toMatchObject({
    Issued: '4',
    Verified: '3',
    Solved: '75%',
    Repeated: '1',
    Failed: '1',
    'Acceptance rate': '80%',
  });
  expect(await textOf('.rejections h3')).toContain('Already verified');
  for (const line of ['--issued', '--verified', '--failed'])
    expect([line, (await pixelsOf(line)) > 0]).toEqual([line, true]);
  await expectGood('dashboard-first-visitors');

  // Opened with a keyboard.
  expect(await tab.evaluate<boolean>("document.querySelector('details.numbers').open")).toBe(false);
  await tab.evaluate("document.querySelector('details.numbers summary').focus()");
  await tab.press('Enter');
  expect(await tab.evaluate<boolean>("document.querySelector('.numbers table').checkVisibility()")).toBe(
    true,
  );
  const last = await tab.evaluate<string>(
    "[...document.querySelectorAll('.numbers tbody tr:last-child td')].map((one) => one.textContent).join(' | ')",
  );
  expect(last).toBe('Nov 20, 2026, 3:00 PM UTC (not over yet) | 4 | 3 | 1 | 1');
});

describe('with a year of visitors', () => {
  beforeAll(async () => {
    tenant = await addTenant(server, { name: 'م'.repeat(128), level: 100, growth: 'medium', allowance: 2 });
    path = pathOf(tenant);
    await addYearOfTraffic(server, tenant.property.sitekey);
    await signIn(tenant.account);
  });

  test('each range has a link and a chart, and its page is small and without errors', async () => {
    await show(path);
    await tab.until(isDrawn);
    await expectGood('dashboard-24h');
    const pictures = new Set([await picture()]);
    for (const [range, label, steps] of [
      ['7d', '7 days', '168 hours'],
      ['30d', '30 days', '30 days'],
      ['1y', '1 year', '365 days'],
    ]) {
      await tab.evaluate('void (window.isBefore = true)');
      await tab.click(
        `[...document.querySelectorAll('.ranges a')].find((one) => one.textContent === '${label}')`,
      );
      await tab.until(`window.isBefore !== true && ${isDrawn}`);
      expect(await textOf('.numbers summary')).toBe(steps ?? '');
      await expectGood(`dashboard-${range}`);
      pictures.add(await picture());
    }
    expect(pictures.size).toBe(4);
  });

  test('the chart adapts to the theme and the window', async () => {
    await look(tab, 'light', 1280);
    await show(`${path}?range=30d`);
    await tab.until(isDrawn);
    const [light, before] = [await pixelsOf('--verified'), await picture()];
    await look(tab, 'dark', 1280);
    await tab.until(`document.querySelector('.chart canvas')?.toDataURL() !== ${JSON.stringify(before)}`);
    expect(Math.min(light, await pixelsOf('--verified'))).toBeGreaterThan(100);
    const fits =
      "document.querySelector('.uplot').offsetWidth === document.querySelector('.plot').clientWidth";
    const wide = await tab.evaluate<number>("document.querySelector('.uplot').offsetWidth");
    await look(tab, 'dark', 320);
    await tab.until(fits);
    const narrow = await tab.evaluate<number>("document.querySelector('.uplot').offsetWidth");
    expect(narrow).toBeLessThan(wide / 2);
    await look(tab, 'light', 1280);
    await tab.until(fits);
    expect(await tab.evaluate<number>("document.querySelectorAll('.chart canvas').length")).toBe(1);
  });

  test('the chart shows the numbers of the day under the pointer, and the totals when it leaves', async () => {
    await show(`${path}?range=30d`);
    await tab.until(isDrawn);
    const sum = await textOf('[data-value="issued"]');
    const span = await textOf('.when');
    expect(span).toBe('Oct 22 – Nov 20, 2026');
    const end = await tab.evaluate<{ x: number; y: number }>(`(() => {
      const over = document.querySelector('.u-over');
      over.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = over.getBoundingClientRect();
      return { x: x + width - 2, y: y + height / 2 };
    })()`);
    await tab.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', ...end });
    await tab.until("document.querySelector('.when').textContent === 'Nov 20, 2026'");
    const today = await tab.evaluate<string>(
      "document.querySelector('.numbers tbody tr:last-child td:nth-child(2)').textContent",
    );
    expect(await textOf('[data-value="issued"]')).toBe(today);
    await tab.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 5, y: 5 });
    await tab.until(`document.querySelector('.when').textContent === ${JSON.stringify(span)}`);
    expect(await textOf('[data-value="issued"]')).toBe(sum);
  });

  test('the numbers update without a reload, until the session ends', async () => {
    await show(path);
    await tab.until(isDrawn);
    await tab.evaluate('void (window.isBefore = true)');
    expect(await textOf('.live')).toBe('Live');
    const before = (await figures()).Issued;
    await fetchAndSolve(server.url, tenant.property.sitekey);
    await server.app.flush();
    const issued = "document.querySelector('.figures dd').firstChild.textContent";
    await tab.until(`${issued} !== ${JSON.stringify(before)}`);
    expect(await tab.evaluate<boolean>('window.isBefore')).toBe(true);
    expect(await tab.evaluate<number>("document.querySelectorAll('.chart canvas').length")).toBe(1);
    await server.app.services.users.endSessions(INSTALLATION, tenant.account.id);
    await tab.until("document.querySelector('.live-ended').checkVisibility()");
    expect(await tab.evaluate<boolean>("document.querySelector('.live').hidden")).toBe(true);
    await signIn(tenant.account);
  });

  test('the updates can be paused and resumed', async () => {
    await show(path);
    await tab.until(isDrawn);
    const label = "document.querySelector('.pause').textContent";
    expect(await tab.evaluate<string>(label)).toBe('Pause updates');
    await tab.click("document.querySelector('.pause')");
    expect(await tab.evaluate<string>(label)).toBe('Resume updates');
    expect(await tab.evaluate<boolean>("document.querySelector('.live').hidden")).toBe(true);
    const before = (await figures()).Issued;
    await fetchAndSolve(server.url, tenant.property.sitekey);
    await server.app.flush();
    // Also when the page becomes visible again.
    const asked = tab.requests.length;
    await tab.evaluate("void document.dispatchEvent(new Event('visibilitychange'))");
    expect([(await figures()).Issued, tab.requests.length]).toEqual([before, asked]);
    await tab.click("document.querySelector('.pause')");
    const issued = "document.querySelector('.figures dd').firstChild.textContent";
    await tab.until(`${issued} !== ${JSON.stringify(before)}`);
    expect(await tab.evaluate<boolean>("document.querySelector('.live').hidden")).toBe(false);
  });

  test('with forced colors, the lines have colors of the system', async () => {
    await tab.cdp('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
    await show(path);
    await tab.until(isDrawn);
    const colors = await tab.evaluate<string[]>(
      "['--issued', '--verified', '--failed'].map((name) => getComputedStyle(document.querySelector('.chart')).getPropertyValue(name).trim())",
    );
    expect(colors).toEqual(['LinkText', 'CanvasText', 'Highlight']);
    // The area below the first line had the color of the second one, which was invisible.
    const area = await tab.evaluate<number>(
      "(({ width, height }) => width * height)(document.querySelector('.chart canvas'))",
    );
    const drawn = await pixelsOf('--verified');
    expect(drawn).toBeGreaterThan(0);
    expect(drawn).toBeLessThan(area / 10);
    await look(tab, 'light', 1280);
  });

  test('without scripts there is no chart, and the table is open', async () => {
    await tab.block(['.js']);
    await show(`${path}?range=7d`);
    expect(await tab.evaluate<boolean>("document.querySelector('.chart').checkVisibility()")).toBe(false);
    expect(await tab.evaluate<boolean>("document.querySelector('.numbers table').checkVisibility()")).toBe(
      true,
    );
    await expectGood('dashboard-no-scripts');
    await tab.block([]);
  });
});

test('administrators have the same page for requests that belong to no property', async () => {
  await signIn(await addUser(server, true));
  const where = '/portal/system/statistics/without-property';
  await show(where);
  await expectGood('system-statistics-empty');
  await verify(server.url, tenant.verifyKey, 'garbage');
  await server.app.flush();
  await show(where);
  await tab.until(isDrawn);
  expect(await figures()).toMatchObject({ Failed: '1' });
  await expectGood('system-statistics');
  for (const [page, name] of [
    ['/portal/system/statistics', 'system-dashboard'],
    [`/portal/orgs/${idsOf(server, tenant).org}/statistics`, 'organization-dashboard'],
  ] as const) {
    await signIn(name === 'system-dashboard' ? await addUser(server, true) : tenant.account);
    await show(page);
    await tab.until(isDrawn);
    await expectGood(name);
  }
});

test('no page loads anything from another host', () => {
  const loaded = tab.requests.filter((one) => !one.url.startsWith('data:'));
  expect([...new Set(loaded.map((one) => new URL(one.url).origin))]).toEqual([url]);
});
