import { beforeAll, describe, expect, test } from 'bun:test';
import { DAY, HOUR, type Instant, later } from '../../../src/lib/time.ts';
import { COMMAND_LINE, INSTALLATION } from '../../../src/model/actor.ts';
import { COUNTER, COUNTS_SIZE, type Hour, toBucket, toHour } from '../../../src/model/statistics.ts';
import { idsOf } from '../../support/platform.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { addTenant, expectOk, type Tenant } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';

/** What explains the numbers of a dashboard: changes in the range, the histogram of solve times, and the signs of changes. */

const server = useServer();
let tenant: Tenant;
let path: string;
let browser: BrowserClient;
const NOW = Date.UTC(2026, 2, 11, 12, 30) as Instant;

beforeAll(async () => {
  server.clock.now = NOW;
  tenant = await addTenant(server, { name: 'Shop' });
  const { org, property } = idsOf(server, tenant);
  path = `/portal/orgs/${org}/properties/${property}`;
  browser = await signedIn(server, tenant.account);
  const counts = (issued: number, times: readonly number[]) => {
    const all = new Array<number>(COUNTS_SIZE).fill(0);
    all[COUNTER.issued] = issued;
    all[COUNTER.verified] = times.length;
    for (const time of times) {
      const position = COUNTER.solved + toBucket(time);
      all[position] = (all[position] ?? 0) + 1;
    }
    return all;
  };
  const { sitekey } = tenant.property;
  const hour = (ago: number) => (toHour(NOW) - ago) as Hour;
  await server.app.services.stores.statistics.add([
    { sitekey, hour: hour(2), counts: counts(50, [200, 210, 220, 450, 1700]) },
    { sitekey, hour: hour(26), counts: counts(100, [200]) },
    { sitekey, hour: hour(50), counts: counts(10, []) },
  ]);
});

/** Runs a change at another time. */
async function at<T>(hoursAgo: number, change: () => Promise<T>): Promise<T> {
  server.clock.now = later(NOW, -hoursAgo * HOUR);
  const done = await change();
  server.clock.now = NOW;
  return done;
}

/** The listed changes: the time and the sentence. */
function changesIn(text: string): readonly string[] {
  const [, list = ''] = /<ol class="changes">(.*?)<\/ol>/s.exec(text) ?? [];
  return [...list.matchAll(/<li>(.*?)<\/li>/g)].map(([, item = '']) => item.replace(/<[^>]*>/g, ''));
}

describe('the changes in the range', () => {
  beforeAll(async () => {
    const { properties, maintenance } = server.app.services;
    const { id } = tenant.property;
    const other = await addTenant(server);
    await at(30, async () => expectOk(await properties.setEnabled(COMMAND_LINE, id, false)));
    await at(3, async () => expectOk(await properties.setEnabled(COMMAND_LINE, id, true)));
    await at(2, async () => expectOk(await properties.setEnabled(COMMAND_LINE, other.property.id, false)));
    await at(1, () => maintenance.set(COMMAND_LINE, true));
    await at(1, () => maintenance.set(COMMAND_LINE, false));
  });

  test('are those of the property, oldest first', async () => {
    expect(changesIn((await browser.get(path)).text)).toEqual([
      expect.stringMatching(/^Mar 11, 2026, 9:30 AM The command line enabled .*Shop/i),
    ]);
    const week = changesIn((await browser.get(`${path}?range=7d`)).text);
    expect(week.map((change) => /disabled|enabled/.exec(change)?.[0])).toEqual(['disabled', 'enabled']);
  });

  test('include maintenance for administrators', async () => {
    const admin = await addUser(server, true);
    await server.app.services.members.add(INSTALLATION, tenant.organization.id, admin);
    const its = await signedIn(server, admin);
    expect(changesIn((await its.get(path)).text)).toEqual([
      expect.stringContaining('enabled'),
      expect.stringContaining('maintenance'),
      expect.stringContaining('maintenance'),
    ]);
    expect(changesIn((await its.get('/portal/system/statistics')).text)).toHaveLength(2);
  });

  // The dashboard of the organization listed no changes.
  test('are also those of all properties on the dashboard of the organization, with its attack mode', async () => {
    const { attackMode } = server.app.services;
    const { id } = tenant.organization;
    await at(2, async () => expectOk(await attackMode.ofOrganization(COMMAND_LINE, id, true)));
    expect(changesIn((await browser.get(`${path.split('/properties')[0]}/statistics`)).text)).toEqual([
      expect.stringMatching(/The command line enabled .*Shop/i),
      expect.stringContaining('attack mode'),
    ]);
    expect(changesIn((await browser.get(path)).text)).toHaveLength(2);
  });

  test('are missing if there are none, and in the fragment with new numbers', async () => {
    for (const end of ['?from=2026-03-08&to=2026-03-08', '/statistics/live?range=24h'])
      expect((await browser.get(`${path}${end}`)).text).not.toContain('class="changes"');
  });
});

test('the histogram has a bar and a line of text for each range of solve times', async () => {
  const { text } = await browser.get(path);
  const bars = [...text.matchAll(/<g><title>(.*?)<\/title>/g)].map(([, title]) => title);
  expect(bars).toHaveLength(13);
  expect(bars.filter((title) => !title?.includes(': 0 '))).toEqual([
    '192 ms to 224 ms: 3 (60%)',
    '448 ms to 512 ms: 1 (20%)',
    '1.5 s to 1.8 s: 1 (20%)',
  ]);
  expect(text).toContain(
    'aria-label="Distribution of the solve times. Most of them are in the range 192 ms to 224 ms."',
  );
  expect(text).toContain('<dt>192 ms to 224 ms</dt><dd>3 (60%)</dd>');
});

test('changes have a minus sign, and a color if it is good or bad that a number is higher', async () => {
  const { text } = await browser.get(path);
  expect(text).toMatch(/<dd>50<span class="change"><span aria-hidden="true"[^>]*>−50%</);
  expect(text).toMatch(/<span class="good" aria-hidden="true"[^>]*>\+400%</);
});

test('the difficulty is not among the numbers of a range that has ended', async () => {
  expect((await browser.get(path)).text).toContain('<dt>Difficulty</dt>');
  const day = new Date(NOW - DAY).toISOString().slice(0, 10);
  const past = await browser.get(`${path}?from=${day}&to=${day}`);
  expect(past.text).toContain('<dt>Issued</dt><dd>100');
  expect(past.text).not.toMatch(/Difficulty (is)?|<dt>Difficulty/);
});
