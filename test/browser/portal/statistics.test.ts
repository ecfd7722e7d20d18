import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Instant } from '../../../src/lib/time.ts';
import { COMMAND_LINE, INSTALLATION } from '../../../src/model/actor.ts';
import { type Hour, toHour } from '../../../src/model/statistics.ts';
import type { Tab } from '../../support/browser.ts';
import { idsOf } from '../../support/platform.ts';
import { addUser, beginSession } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../../support/server.ts';
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
  expect(last).toBe('Nov 20, 2026, 3:00 PM (not over yet) | 4 | 3 | 1 | 1');
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
    await tab.until("document.querySelector('.when').textContent === 'Nov 20, 2026 (not over yet)'");
    const today = await tab.evaluate<string>(
      "document.querySelector('.numbers tbody tr:last-child td:nth-child(2)').textContent",
    );
    expect(await textOf('[data-value="issued"]')).toBe(today);
    const before = await tab.evaluate<string>(
      "document.querySelector('.chart').dataset.previous.split(',').at(-1)",
    );
    expect(await textOf('[data-value="previous"]')).toBe(before.replace(/\B(?=(\d{3})+$)/g, ','));
    await tab.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 5, y: 5 });
    await tab.until(`document.querySelector('.when').textContent === ${JSON.stringify(span)}`);
    expect(await textOf('[data-value="issued"]')).toBe(sum);
  });

  test('the keyboard shows the numbers of each step, and zooms', async () => {
    await show(`${path}?range=30d`);
    await tab.until(isDrawn);
    const steps = () => tab.evaluate<string | null>("document.querySelector('.plot').ariaValueMax");
    const value = () => tab.evaluate<string>("document.querySelector('.plot').ariaValueText");
    const span = await textOf('.when');
    await tab.evaluate('document.querySelector(\'[data-series="previous"]\').focus()');
    await tab.press('Tab');
    expect(await tab.evaluate<string>('document.activeElement.className')).toContain('plot');
    await tab.press('ArrowLeft');
    expect(await textOf('.when')).toBe('Nov 19, 2026');
    const row = await tab.evaluate<string[]>(
      "[...document.querySelectorAll('.numbers tbody tr:nth-last-child(2) td')].map((one) => one.textContent)",
    );
    expect(await textOf('[data-value="issued"]')).toBe(row[1] ?? '');
    expect(await value()).toStartWith(
      `Nov 19, 2026: Issued ${row[1]}, Verified ${row[2]}, Failed ${row[4]}, `,
    );
    await tab.press('Home');
    expect(await value()).toStartWith('Oct 22, 2026: ');
    expect(await steps()).toBe('30');
    await tab.press('+');
    expect([await steps(), await textOf('.when')]).toEqual(['15', 'Oct 22, 2026']);
    await tab.press('End');
    expect(await value()).toStartWith('Nov 5, 2026: ');
    await tab.press('-');
    expect([await steps(), await textOf('.when')]).toEqual(['30', 'Nov 5, 2026']);
    await tab.press('+');
    await tab.click("document.querySelector('.zoom-out')");
    await tab.until("document.querySelector('.plot').ariaValueMax === '30'");
    await tab.evaluate('document.activeElement.blur()');
    expect(await textOf('.when')).toBe(span);
  });

  test('dragging over the chart zooms in, and a button shows the whole range again', async () => {
    await show(`${path}?range=30d`);
    await tab.until(isDrawn);
    const before = await picture();
    const area = await tab.evaluate<{ x: number; y: number; width: number }>(`(() => {
      const over = document.querySelector('.u-over');
      over.scrollIntoView({ block: 'center' });
      const { x, y, width, height } = over.getBoundingClientRect();
      return { x, y: y + height / 2, width };
    })()`);
    const mouse = (type: string, share: number, buttons: number) =>
      tab.cdp('Input.dispatchMouseEvent', {
        type,
        x: area.x + share * area.width,
        y: area.y,
        button: 'left',
        buttons,
        clickCount: 1,
      });
    await mouse('mouseMoved', 0.5, 0);
    await mouse('mousePressed', 0.5, 1);
    await mouse('mouseMoved', 0.6, 1);
    await mouse('mouseMoved', 0.7, 1);
    await mouse('mouseReleased', 0.7, 0);
    await tab.until("!document.querySelector('.zoom-out').hidden");
    expect(await picture()).not.toBe(before);
    await tab.click("document.querySelector('.zoom-out')");
    await tab.until("document.querySelector('.zoom-out').hidden");
  });

  test('each line can be hidden, also while the numbers update', async () => {
    await show(path);
    await tab.until(isDrawn);
    const key = 'document.querySelector(\'[data-series="failed"]\')';
    expect(await pixelsOf('--failed')).toBeGreaterThan(0);
    await tab.click(key);
    await tab.until(`${key}.ariaPressed === 'false'`);
    expect(await pixelsOf('--failed')).toBe(0);
    const issued = "document.querySelector('.key.issued b').textContent";
    const before = await tab.evaluate<string>(issued);
    await fetchAndSolve(server.url, tenant.property.sitekey);
    await server.app.flush();
    await tab.until(`${issued} !== ${JSON.stringify(before)}`);
    expect([await tab.evaluate<string>(`${key}.ariaPressed`), await pixelsOf('--failed')]).toEqual([
      'false',
      0,
    ]);
    expect(await tab.evaluate<boolean>(`document.activeElement === ${key}`)).toBe(true);
    await tab.click(key);
    await tab.until(`${key}.ariaPressed === 'true'`);
    expect(await pixelsOf('--failed')).toBeGreaterThan(0);
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
    expect(colors).toEqual(['LinkText', 'CanvasText', 'CanvasText']);
    // The area below the first line had the color of the second one, which was invisible.
    const area = await tab.evaluate<number>(
      "(({ width, height }) => width * height)(document.querySelector('.chart canvas'))",
    );
    const drawn = await pixelsOf('--verified');
    expect(drawn).toBeGreaterThan(0);
    expect(drawn).toBeLessThan(area / 10);
    // Hiding a line changes the picture only if the line is visible.
    for (const name of ['issued', 'verified', 'failed', 'previous']) {
      const before = await picture();
      await tab.click(`document.querySelector('[data-series="${name}"]')`);
      await tab.until(`document.querySelector('.chart canvas').toDataURL() !== ${JSON.stringify(before)}`);
    }
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

test('a step that would flatten all others selects the logarithmic scale', async () => {
  const spiky = await addTenant(server);
  const hour = (ago: number, issued: number) => ({
    sitekey: spiky.property.sitekey,
    hour: (toHour(server.clock.now) - ago) as Hour,
    counts: [issued],
  });
  const usual = Array.from({ length: 23 }, (_, ago) => hour(ago + 1, 40 + ago));
  await server.app.services.stores.statistics.add([...usual, hour(0, 40)]);
  await signIn(spiky.account);
  await show(pathOf(spiky));
  await tab.until(isDrawn);
  const log = "document.querySelector('.log')";
  expect(await tab.evaluate<string>(`${log}.ariaPressed`)).toBe('false');
  await server.app.services.stores.statistics.add([hour(5, 9000)]);
  await show(pathOf(spiky));
  await tab.until(isDrawn);
  expect(await tab.evaluate<string>(`${log}.ariaPressed`)).toBe('true');
  const before = await picture();
  await expectGood('dashboard-spike');
  await tab.click(log);
  await tab.until(`${log}.ariaPressed === 'false'`);
  expect(await picture()).not.toBe(before);
});

test('the chart marks changes, and the page lists them in the time zone of the browser', async () => {
  const changed = await addTenant(server);
  const { org, property } = idsOf(server, changed);
  await fetchAndSolve(server.url, changed.property.sitekey);
  await server.app.flush();
  await signIn(changed.account);
  await show(pathOf(changed));
  await tab.until(isDrawn);
  expect(await pixelsOf('--mark')).toBe(0);
  for (const isEnabled of [false, true])
    expectOk(await server.app.services.properties.setEnabled(COMMAND_LINE, changed.property.id, isEnabled));
  await tab.cdp('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
  await show(`/portal/orgs/${org}/properties/${property}/settings`);
  await show(pathOf(changed));
  await tab.until(isDrawn);
  expect(await pixelsOf('--mark')).toBeGreaterThan(0);
  expect(await textOf('.changes li')).toContain('Nov 21, 2026, 12:30 AM');
  expect(await textOf('.time-zone')).toContain('in the time zone Asia/Tokyo');
  await expectGood('dashboard-changes');
  await tab.evaluate("document.querySelector('.plot').focus({ focusVisible: true })");
  await tab.press('End');
  const text = await tab.evaluate<string>(
    "[...document.querySelectorAll('.changes .what')].map((one) => one.textContent).join(' · ')",
  );
  expect(await textOf('.when')).toBe(`Nov 21, 2026, 12:00 AM (not over yet) · ${text}`);
  await tab.cdp('Emulation.setTimezoneOverride', { timezoneId: '' });
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
