import { beforeAll, expect, test } from 'bun:test';
import { HOUR, type Instant, later } from '../../../src/lib/time.ts';
import { idsOf } from '../../support/platform.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { addTenant, type Tenant } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';
import { fetchAndSolve } from '../../support/visitor.ts';

/** Pages in the time zones of browsers, which a script writes to a cookie. */

const server = useServer();
let tenant: Tenant;
let dashboard: string;
/** 20:30 in UTC on March 11: March 12 in Tokyo and in India. */
const NOW = Date.UTC(2026, 2, 11, 20, 30) as Instant;

beforeAll(async () => {
  server.clock.now = NOW;
  tenant = await addTenant(server);
  const { org, property } = idsOf(server, tenant);
  dashboard = `/portal/orgs/${org}/properties/${property}`;
  await fetchAndSolve(server.url, tenant.property.sitekey);
  await server.app.flush();
});

async function browserIn(zone?: string, account = tenant.account): Promise<BrowserClient> {
  const browser = await signedIn(server, account);
  if (zone !== undefined) browser.cookies.set('postern-zone', zone);
  return browser;
}

/** The sentences that name the time zone of a page. */
const zonesIn = (text: string) =>
  [...text.matchAll(/<p class="soft time-zone">(.*?) <a/g)].map(([, sentence]) => sentence);

test.each([
  ['Asia/Tokyo', 'in the time zone Asia/Tokyo', 'Mar 12, 2026, 5:30 AM'],
  ['Asia/Kolkata', 'in the time zone Asia/', 'Mar 12, 2026, 2:00 AM'],
  ['America/New_York', 'in the time zone America/New_York', 'Mar 11, 2026, 4:30 PM'],
  ['UTC', 'in UTC', 'Mar 11, 2026, 8:30 PM'],
  ['Mars/Olympus', 'in UTC', 'Mar 11, 2026, 8:30 PM'],
  [undefined, 'in UTC', 'Mar 11, 2026, 8:30 PM'],
])('with the time zone %s, times are %s', async (zone, sentence, time) => {
  const browser = await browserIn(zone);
  const { text } = await browser.get('/portal/activity');
  expect(zonesIn(text)).toHaveLength(1);
  expect(zonesIn(text)[0]).toContain(`Times on this page are ${sentence}`);
  expect(text).toContain(`title="${time}"`);
  expect(text).toContain('<h2>Today</h2>');
});

test('entries are grouped by the day in the time zone of the page', async () => {
  const account = await addUser(server);
  const entryAt = (hours: number) =>
    server.app.services.stores.audit.append({
      at: later(NOW, hours * HOUR),
      accountId: account.id,
      actor: account.email,
      source: 'portal',
      address: undefined,
      action: 'key-created',
      organizationId: undefined,
      object: `${hours}`,
    });
  // 18:30 in UTC is 3:30 in Tokyo, and 14:30 in UTC is 23:30.
  for (const hours of [-30, -6, -2]) await entryAt(hours);
  const daysIn = async (zone: string) => {
    const { text } = await (await browserIn(zone, account)).get('/portal/activity?action=key-created');
    return [...text.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, day]) => day);
  };
  expect(await daysIn('UTC')).toEqual(['Today', 'Yesterday']);
  expect(await daysIn('Asia/Tokyo')).toEqual(['Today', 'Yesterday', 'Tuesday, March 10, 2026']);
  // The filter has the same days.
  const browser = await browserIn('Asia/Tokyo', account);
  const { text } = await browser.get('/portal/activity?action=key-created&from=2026-03-11&to=2026-03-11');
  expect([...text.matchAll(/<dd>(-\d+)<\/dd>/g)].map(([, hours]) => hours)).toEqual(['-6']);
});

test('a user can choose UTC', async () => {
  const browser = await browserIn('Asia/Tokyo');
  const preferences = { language: 'en', theme: 'auto', return: '/portal/activity' };
  await browser.fill('/portal/preferences', { ...preferences, zone: 'utc' });
  expect(zonesIn((await browser.get('/portal/activity')).text)).toEqual(['Times on this page are in UTC.']);
  expect((await browser.get('/portal/preferences')).text).toMatch(/<option value="utc" selected[^>]*>UTC</);
  await browser.fill('/portal/preferences', { ...preferences, zone: 'browser' });
  expect(zonesIn((await browser.get('/portal/activity')).text)[0]).toContain('Asia/Tokyo');
});

test('a page without times names no time zone', async () => {
  const browser = await browserIn('Asia/Tokyo');
  expect(zonesIn((await browser.get('/portal/preferences')).text)).toEqual([]);
});

test.each([
  ['Asia/Tokyo', '2026-03-10', '2026-03-09T15:00:00.000Z', 24],
  // Midnight is at half past in UTC. The range begins half an hour later, and also ends half an hour later.
  ['Asia/Kolkata', '2026-03-10', '2026-03-09T19:00:00.000Z', 24],
  // Midnight is at a quarter past. The range begins a quarter of an hour earlier.
  ['Asia/Kathmandu', '2026-03-10', '2026-03-09T18:00:00.000Z', 24],
  // The clocks were set forward.
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', 23],
  // Today begins in Tokyo before it begins in UTC, and has no hours after the current one.
  ['Asia/Tokyo', '2026-03-12', '2026-03-11T15:00:00.000Z', 6],
])('in %s, the range of %s begins at %s and has %d hours', async (zone, day, first, hours) => {
  const browser = await browserIn(zone);
  const { text } = await browser.get(`${dashboard}/statistics.csv?from=${day}&to=${day}`);
  const lines = text.trim().split('\r\n').slice(1);
  expect([lines[0]?.slice(1, 25), lines.length]).toEqual([first, hours]);
});

test.each([
  ['Asia/Tokyo', 'Mar 12, 2026, 12:00 AM'],
  ['Asia/Kolkata', 'Mar 12, 2026, 12:30 AM'],
])('in %s, the chart and the table of today have its hours', async (zone, first) => {
  const { text } = await (await browserIn(zone)).get(`${dashboard}?from=2026-03-12&to=2026-03-12`);
  expect(/<tbody><tr><td><time [^>]*>(.*?)<\/time>/.exec(text)?.[1]).toBe(first);
  expect(text).toMatch(new RegExp(`data-zone="${zone.slice(0, 6)}`));
  expect(text).toContain('<span class="when">Mar 12, 2026</span>');
  expect(text).toMatch(/<summary aria-current="true">Mar 12, 2026<\/summary>/);
});

test('days after today are rejected in every time zone', async () => {
  for (const [zone, today, tomorrow] of [
    ['Asia/Tokyo', '2026-03-12', '2026-03-13'],
    ['America/New_York', '2026-03-11', '2026-03-12'],
  ] as const) {
    const browser = await browserIn(zone);
    const statusOf = async (query: string) => (await browser.get(`${dashboard}?${query}`)).status;
    expect(await statusOf(`from=${today}&to=${today}`)).toBe(200);
    expect(await statusOf(`from=${tomorrow}&to=${tomorrow}`)).toBe(422);
    expect(await statusOf(`from=2026-03-01&to=${today}`)).toBe(200);
    expect(await statusOf(`from=2026-03-01&to=${tomorrow}`)).toBe(422);
  }
});

test.each(['?range=30d', '?range=1y', '?from=2026-02-20&to=2026-03-12'])(
  'the days of the range %s are in UTC, and so is the whole page',
  async (query) => {
    const browser = await browserIn('Asia/Tokyo');
    const { text } = await browser.get(`${dashboard}${query}`);
    const csv = await browser.get(`${dashboard}/statistics.csv${query}`);
    expect(csv.text.trim().split('\r\n').at(1)).toContain('T00:00:00.000Z');
    expect(text).toContain('data-zone="UTC"');
    expect(zonesIn(text)).toEqual([
      'Times on this page are in UTC, because statistics by day are stored for days in UTC.',
    ]);
  },
);

test('a key works until the end of its last day in the time zone of the page', async () => {
  const browser = await browserIn('Asia/Tokyo');
  const fields = { name: 'Tokyo', scope: 'verify', organization: '', expiry: 'date', day: '2026-03-20' };
  await browser.fill('/portal/settings/api-keys/new', fields);
  const { text } = await browser.get('/portal/settings/api-keys');
  expect(text).toContain('<time datetime="2026-03-20T15:00:00.000Z" title="Mar 21, 2026, 12:00 AM">');
});
