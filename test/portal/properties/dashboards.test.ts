import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Instant, MINUTE } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { COUNTER, type Hour, toHour } from '../../../src/model/statistics.ts';
import { idsOf } from '../../support/platform.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../../support/server.ts';

/** Rates, the current hour, and the dashboards of organizations and of the installation. */

let server: TestServer;
let admin: BrowserClient;
beforeAll(async () => {
  server = await startServer();
  // A quarter of the current hour has passed.
  server.clock.now = (Date.UTC(2026, 2, 11, 12) + 15 * MINUTE) as Instant;
  admin = await signedIn(server, await addUser(server, true));
});
afterAll(() => server.stop());

type Counted = Partial<Record<'issued' | 'verified' | 'repeated', number>>;

/** @param sitekey undefined for requests without a property */
async function count(sitekey: Tenant['property']['sitekey'] | undefined, counted: Counted, hoursAgo = 0) {
  const counts = [0, 0, 0];
  for (const [name, value] of Object.entries(counted)) counts[COUNTER[name as 'issued']] = value;
  const hour = (toHour(server.clock.now) - hoursAgo) as Hour;
  await server.app.services.stores.statistics.add([{ sitekey, hour, counts }]);
}

const organizationOf = (of: Tenant) => `/portal/orgs/${idsOf(server, of).org}`;
const dashboardOf = (of: Tenant) => `${organizationOf(of)}/properties/${idsOf(server, of).property}`;

/** The figures of a page, by label. */
function figuresIn(text: string): Readonly<Record<string, string>> {
  const [, list = ''] = /<dl class="figures"[^>]*>([\s\S]*?)<\/dl>/.exec(text) ?? [];
  const found = [...list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<(?:span|\/dd)/g)];
  return Object.fromEntries(found.map(([, label, value]) => [label, value]));
}

/** The change of the issued puzzles, as screen readers say it. */
const changeIn = (text: string) => /<dt>Issued<.*?"visually-hidden"> (.*?)<\/span>/.exec(text)?.[1];
const hourIn = (text: string) => /Puzzles this hour so far: .*?(?=<\/p>)/.exec(text)?.[0];

describe('the current hour', () => {
  /** A property with 100 puzzles in each hour of the last three days, and some in the current hour. */
  async function steadyUntil(issued: number): Promise<string> {
    const tenant = await addTenant(server);
    for (let ago = 72; ago > 0; ago--) await count(tenant.property.sitekey, { issued: 100 }, ago);
    await count(tenant.property.sitekey, { issued });
    return (await (await signedIn(server, tenant.account)).get(dashboardOf(tenant))).text;
  }

  // The numbers of the current hour were in the figure, but not in the change.
  test('is part of a figure and of its change, so that an attack is visible in both', async () => {
    const text = await steadyUntil(2099);
    expect(figuresIn(text).Issued).toBe('4,399');
    expect(changeIn(text)).toBe('89.2% more than in the previous period (2,325)');
    expect(hourIn(text)).toBe(
      'Puzzles this hour so far: 2,099. A whole hour at this time of day usually has about 100.',
    );
    expect(text).toContain('counts in proportion to the minutes that have passed in the current hour.');
  });

  test('is compared with the same part of an hour', async () => {
    expect(changeIn(await steadyUntil(25))).toBe('the same as in the previous period (2,325)');
  });

  test('is compared with the median of the same hour on the days since the first puzzle', async () => {
    const tenant = await addTenant(server);
    const { sitekey } = tenant.property;
    const browser = await signedIn(server, tenant.account);
    const read = async () => hourIn((await browser.get(`${dashboardOf(tenant)}?range=30d`)).text);
    await count(sitekey, { issued: 7 });
    await count(sitekey, { issued: 50 }, 3);
    expect(await read()).toBe('Puzzles this hour so far: 7.');
    await count(sitekey, { issued: 10 }, 24);
    expect(await read()).toEndWith('usually has about 10.');
    // The day in between had no puzzles in this hour.
    await count(sitekey, { issued: 4000 }, 72);
    expect(await read()).toEndWith('usually has about 10.');
    await count(sitekey, { issued: 20 }, 96);
    expect(await read()).toEndWith('usually has about 15.');
    await count(sitekey, { issued: 1_000_000 }, 8 * 24);
    expect(await read()).toEndWith('usually has about 15.');
  });

  test('is not part of a range that has ended', async () => {
    const tenant = await addTenant(server);
    for (const ago of [0, 30, 54]) await count(tenant.property.sitekey, { issued: 10 }, ago);
    const browser = await signedIn(server, tenant.account);
    const { text } = await browser.get(`${dashboardOf(tenant)}?from=2026-03-10&to=2026-03-10`);
    expect(hourIn(text)).toBeUndefined();
    expect(changeIn(text)).toBe('the same as in the previous period (10)');
    expect(text).toContain('Changes compare this range with the previous period.');
    expect(text).not.toContain('up to now');
  });
});

describe('the share of solved puzzles', () => {
  test('counts each solution once, is at most 100%, and is explained where it is shown', async () => {
    const tenant = await addTenant(server, { allowance: 5 });
    const { sitekey } = tenant.property;
    const browser = await signedIn(server, tenant.account);
    const pages = [dashboardOf(tenant), organizationOf(tenant), `${organizationOf(tenant)}/statistics`];
    pages.push('/portal', '/portal/orgs');
    await count(sitekey, { issued: 8, verified: 4, repeated: 12 });
    for (const page of pages) {
      const { text } = await browser.get(page);
      expect([page, text.match(/<d[dt][^>]*>50%<|data-label="Solved"[^>]*>50%</)?.length]).toEqual([page, 1]);
      expect(text).toMatch(/<p class="help"><strong>Solved<\/strong> is the share of the issued puzzles/);
    }
    // Solutions of puzzles from before the range.
    await count(sitekey, { verified: 6 });
    expect(figuresIn((await browser.get(dashboardOf(tenant))).text).Solved).toBe('100%');
  });
});

describe('the dashboard', () => {
  test('of an organization has the sums of its properties, for its members only', async () => {
    const tenant = await addTenant(server);
    const { services } = server.app;
    const draft = { organizationId: tenant.organization.id, name: 'Second', domain: 'second.example.com' };
    const second = expectOk(await services.properties.create(INSTALLATION, draft));
    await count(tenant.property.sitekey, { issued: 3, verified: 1 });
    await count(second.sitekey, { issued: 4, verified: 1 }, 5);
    await count((await addTenant(server)).property.sitekey, { issued: 1000 });
    const path = `${organizationOf(tenant)}/statistics`;
    const browser = await signedIn(server, tenant.account);
    const { text } = await browser.get(path);
    expect(figuresIn(text)).toMatchObject({ Issued: '7', Verified: '2', Solved: '28.5%' });
    expect(JSON.parse((await browser.get(`${path}.json`)).text).totals.issued).toBe(7);
    expect((await browser.get(`${path}.csv`)).text.split('\r\n').at(-2)).toEndWith(',3,1,0,0');
    expect(figuresIn((await browser.get(`${path}/live`)).text)).toMatchObject({ Issued: '7' });
    const stranger = await signedIn(server, await addUser(server));
    for (const end of ['', '.csv', '.json', '/live'])
      expect([end, (await stranger.get(path + end)).status]).toEqual([end, 404]);
    const member = await addUser(server);
    expectOk(await services.members.add(INSTALLATION, tenant.organization.id, member));
    expect((await (await signedIn(server, member)).get(path)).status).toBe(200);
  });

  // Home linked to a page that counted only requests without a property.
  test('of the installation has the numbers of Home: all properties and requests without one', async () => {
    await count((await addTenant(server)).property.sitekey, { issued: 40, verified: 10 });
    await count(undefined, { issued: 2 }, 1);
    const home = await admin.get('/portal');
    const [, path = ''] = /href="([^"]*)">Dashboard of the installation</.exec(home.text) ?? [];
    const { text } = await admin.get(path);
    const [tile, figures] = [figuresIn(home.text), figuresIn(text)];
    expect(figures.Issued).toBe(tile['Puzzles issued'] as string);
    expect(figures.Verified).toBe(tile['Solutions verified'] as string);
    expect(figures.Solved).toBe(tile.Solved as string);
    const link = `${path}/without-property`;
    expect(text).toContain(`href="${link}">requests without a property</a>`);
    expect(figuresIn((await admin.get(link)).text).Issued).toBe('2');
    const user = await signedIn(server, await addUser(server));
    expect([(await user.get(path)).status, (await user.get(link)).status]).toEqual([403, 403]);
  });

  test('without numbers says so', async () => {
    const tenant = await addTenant(server);
    const { text } = await (await signedIn(server, tenant.account)).get(
      `${organizationOf(tenant)}/statistics`,
    );
    expect(text).toContain('No property had visitors in this range.');
  });
});
