import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Instant, later, MINUTE } from '../../src/lib/time.ts';
import { COMMAND_LINE, INSTALLATION } from '../../src/model/actor.ts';
import { createGeoipFile } from '../support/geoipFile.ts';
import { api, idsOf } from '../support/platform.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { useFixture, useServer } from '../support/useServer.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';

/** Recent requests, from the requests of visitors and backends to the Platform API. */

const folder = useFixture(
  () => {
    const path = mkdtempSync(join(tmpdir(), 'postern-traffic-'));
    const file = join(path, 'country.mmdb');
    writeFileSync(file, createGeoipFile({ '203.0.113.0/24': { country: 'DE' } }));
    return { path, file };
  },
  { dispose: ({ path }) => rmSync(path, { recursive: true, force: true }) },
);
const settingsOf = (details: string) => ({
  POSTERN_TRUSTED_PROXIES: '127.0.0.0/8,::1',
  POSTERN_GEOIP_FILES: folder.file,
  POSTERN_TRAFFIC_DETAILS: details,
});
const now = Date.UTC(2026, 0, 31, 13, 12) as Instant;
const server = useServer(() => ({ settings: settingsOf('on'), now }));

type Top = {
  readonly items: readonly { value: string; requests: number; rejected: number }[];
  readonly max_error: number;
};
type Rejection = Readonly<
  Record<'at' | 'kind' | 'reason' | 'host' | 'browser' | 'country' | 'network' | 'property_id', string | null>
>;
type Data = {
  readonly since: string;
  readonly details: string;
  readonly is_of_one_node: boolean;
  readonly requests: number;
  readonly top: Readonly<Record<'networks' | 'hosts' | 'countries' | 'browsers', Top>>;
  readonly rejections: readonly Rejection[];
};

async function trafficOf(of: TestServer, tenant: Tenant, query = ''): Promise<Data> {
  const { org, property } = idsOf(of, tenant);
  const reply = await api(of, tenant.portalKey).get<Data>(`/org/${org}/property/${property}/traffic${query}`);
  expect(reply.status).toBe(200);
  return reply.data;
}

const VISITOR = { 'X-Forwarded-For': '203.0.113.9', 'User-Agent': 'Mozilla/5.0 Firefox/140.0' };

/** @returns the status of a request for a puzzle */
async function ask(
  { property }: Tenant,
  headers: Record<string, string> = {},
  { url } = server as TestServer,
  origin: string | undefined = 'https://example.com',
): Promise<number> {
  const all = { ...(origin === undefined ? {} : { Origin: origin }), ...VISITOR, ...headers };
  const response = await fetch(`${url}/puzzle?sitekey=${property.sitekey}`, { headers: all });
  await response.arrayBuffer();
  return response.status;
}

const reasonsIn = ({ rejections }: Data) => rejections.map(({ kind, reason }) => `${kind} ${reason}`);

describe('rejections of requests for puzzles', () => {
  test('have their reason and what is known about the visitor, newest first', async () => {
    const tenant = await addTenant(server);
    expect(await ask(tenant)).toBe(200);
    server.clock.now = later(now, 250);
    expect(await ask(tenant, {}, server, 'https://evil.example')).toBe(403);
    expect(await ask(tenant, {}, server, 'https://192.0.2.1')).toBe(403);
    await fetch(`${server.url}/puzzle?sitekey=${tenant.property.sitekey}`, { headers: VISITOR });
    const rule = { name: 'Bots', action: 'block', conditions: { user_agents: ['*curl*'] } };
    expectOk(await server.app.services.rules.replace(COMMAND_LINE, tenant.property.id, [rule]));
    const bot = { 'User-Agent': 'curl/8.5.0', 'X-Forwarded-For': '2001:db8:7::9' };
    expect(await ask(tenant, bot)).toBe(403);
    expectOk(await server.app.services.properties.setEnabled(INSTALLATION, tenant.property.id, false));
    expect(await ask(tenant)).toBe(403);
    const data = await trafficOf(server, tenant);
    expect(reasonsIn(data).toSorted()).toEqual([
      'puzzle origin-missing',
      'puzzle origin-not-allowed',
      'puzzle origin-without-domain',
      'puzzle property-disabled',
      'puzzle rule-blocked',
    ]);
    const { property: property_id } = idsOf(server, tenant);
    const at = '2026-01-31T13:12:00.250Z';
    const visitor = { browser: 'Firefox', country: 'DE', network: '203.0.113.0/24' };
    expect(data.rejections).toContainEqual({
      ...{ at, property_id, kind: 'puzzle', reason: 'origin-not-allowed', host: 'evil.example' },
      ...visitor,
    });
    expect(data.rejections).toContainEqual({
      ...{ at, property_id, kind: 'puzzle', reason: 'rule-blocked', host: 'example.com' },
      ...{ browser: 'curl', country: null, network: '2001:db8:7::/48' },
    });
    expect(data).toMatchObject({
      since: '2026-01-31T12:00:00.000Z',
      details: 'on',
      is_of_one_node: server.app.services.shared.isClustered,
      requests: 6,
    });
    const { networks, hosts, countries, browsers } = data.top;
    expect(networks).toEqual({
      items: [
        { value: '203.0.113.0/24', requests: 5, rejected: 4 },
        { value: '2001:db8:7::/48', requests: 1, rejected: 1 },
      ],
      max_error: 0,
    });
    expect(hosts.items[0]).toEqual({ value: 'example.com', requests: 3, rejected: 2 });
    expect(countries.items).toEqual([{ value: 'DE', requests: 5, rejected: 4 }]);
    expect(browsers.items.map(({ value }) => value)).toEqual(['Firefox', 'curl']);
    server.clock.now = now;
  });

  test('contain requests over the rate limit', async () => {
    const settings = { ...settingsOf('on'), POSTERN_PUZZLE_RATE: '1', POSTERN_PUZZLE_BURST: '2' };
    const limited = await startServer({ settings, now });
    const tenant = await addTenant(limited);
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push(await ask(tenant, {}, limited));
    expect(statuses).toEqual([200, 200, 429, 429]);
    const data = await trafficOf(limited, tenant);
    expect(reasonsIn(data)).toEqual(['puzzle rate-limited', 'puzzle rate-limited']);
    expect(data.rejections[0]).toMatchObject({ host: 'example.com', network: '203.0.113.0/24' });
    await limited.stop();
  });

  test('with many unknown sitekeys leave no trace', async () => {
    const tenant = await addTenant(server);
    for (let count = 0; count < 50; count++) {
      const sitekey = count.toString(16).padStart(32, '0');
      const headers = { Origin: 'https://example.com' };
      const response = await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers });
      expect(response.status).toBe(403);
    }
    expect((await trafficOf(server, tenant)).requests).toBe(0);
  });
});

describe('rejected verifications', () => {
  test('have the host of the page, and nothing about the backend that sent them', async () => {
    const tenant = await addTenant(server, { validitySeconds: 60 });
    const [payload, late] = [
      await fetchAndSolve(server.url, tenant.property.sitekey),
      await fetchAndSolve(server.url, tenant.property.sitekey),
    ];
    expect((await verify(server.url, tenant.verifyKey, payload)).code).toBe(0);
    expect((await verify(server.url, tenant.verifyKey, payload)).code).toBe(8);
    const form = new URLSearchParams({ secret: tenant.verifyKey, response: payload });
    await fetch(`${server.url}/siteverify`, { method: 'POST', body: form });
    server.clock.now = later(now, 2 * MINUTE);
    expect((await verify(server.url, tenant.verifyKey, late)).code).toBe(5);
    const data = await trafficOf(server, tenant);
    server.clock.now = now;
    expect(reasonsIn(data)).toEqual([
      'verification puzzle-expired',
      'verification solution-verified-before',
      'verification solution-verified-before',
    ]);
    const unknown = { browser: null, country: null, network: null };
    expect(data.rejections[0]).toMatchObject({ host: 'example.com', ...unknown });
    expect(data.requests).toBe(2);
  });

  test('with the key of another tenant are recorded for neither', async () => {
    const [owner, stranger] = [await addTenant(server), await addTenant(server)];
    const payload = await fetchAndSolve(server.url, owner.property.sitekey);
    expect((await verify(server.url, stranger.verifyKey, payload)).code).toBe(7);
    expect((await trafficOf(server, owner)).rejections).toEqual([]);
    expect((await trafficOf(server, stranger)).rejections).toEqual([]);
  });
});

describe('the setting', () => {
  test.each([
    ['without-networks', 1, [null], 0, ['DE']],
    ['off', 0, [], 0, []],
  ] as const)(
    '%s determines what is recorded',
    async (details, requests, networks, topNetworks, countries) => {
      const other = await startServer({ settings: settingsOf(details), now });
      const tenant = await addTenant(other);
      expect(await ask(tenant, {}, other, 'https://evil.example')).toBe(403);
      const data = await trafficOf(other, tenant);
      expect([data.details, data.requests, data.top.networks.items.length]).toEqual([
        details,
        requests,
        topNetworks,
      ]);
      expect(data.rejections.map(({ network }) => network)).toEqual([...networks]);
      expect(data.rejections.map(({ country }) => country)).toEqual([...countries]);
      await other.stop();
    },
  );

  test('by default records no networks', async () => {
    const other = await startServer();
    const tenant = await addTenant(other);
    expect((await trafficOf(other, tenant)).details).toBe('without-networks');
    await other.stop();
  });
});

test('only members see the requests; the organization has those of all its properties', async () => {
  const [tenant, stranger] = [await addTenant(server), await addTenant(server)];
  const { organization, account } = tenant;
  const draft = { organizationId: organization.id, name: 'Shop', domain: 'shop.example' };
  const shop = expectOk(await server.app.services.properties.create(INSTALLATION, draft));
  for (const property of [tenant.property, shop])
    expect(await ask({ ...tenant, property }, {}, server, 'https://evil.example')).toBe(403);
  const { org, property } = idsOf(server, tenant);
  const own = await api(server, tenant.portalKey).get<Data>(`/org/${org}/traffic?range=day`);
  const ids = own.data.rejections.map(({ property_id }) => property_id);
  expect(new Set(ids)).toEqual(
    new Set([tenant.property, shop].map(({ id }) => server.app.services.ids.seal('property', id))),
  );
  expect(own.data.since).toBe('2026-01-30T00:00:00.000Z');
  for (const path of [`/org/${org}/traffic`, `/org/${org}/property/${property}/traffic`])
    expect((await api(server, stranger.portalKey).get(path)).status).toBe(403);
  expect(account.id).not.toBe(stranger.account.id);
});

test('requests that two request threads have processed are complete after they hand over their counts', async () => {
  const threaded = await startServer({ settings: { ...settingsOf('on'), POSTERN_THREADS: '2' } });
  const tenant = await addTenant(threaded);
  const client = { Connection: 'close' };
  for (let count = 0; count < 20; count++) {
    expect(await ask(tenant, client, threaded)).toBe(200);
    expect(await ask(tenant, client, threaded, 'https://evil.example')).toBe(403);
  }
  const payload = await fetchAndSolve(threaded.url, tenant.property.sitekey);
  for (const code of [0, 8, 8])
    expect((await verify(threaded.url, tenant.verifyKey, payload)).code).toBe(code);
  await threaded.app.flush();
  const data = await trafficOf(threaded, tenant);
  await threaded.stop();
  const counted = Object.groupBy(reasonsIn(data), (reason) => reason);
  expect(Object.entries(counted).map(([reason, all = []]) => [reason, all.length])).toEqual(
    expect.arrayContaining([
      ['puzzle origin-not-allowed', 20],
      ['verification solution-verified-before', 2],
    ]),
  );
  expect(data.requests).toBe(41);
  expect(data.top.networks.items).toContainEqual({ value: '203.0.113.0/24', requests: 40, rejected: 20 });
  expect(data.top.countries.items).toEqual([{ value: 'DE', requests: 40, rejected: 20 }]);
});

test('many networks do not make the response larger, and the numbers state their error', async () => {
  const tenant = await addTenant(server);
  for (let at = 0; at < 1000; at++) {
    const address = `10.${at >> 8}.${at & 255}.7`;
    await ask(tenant, { 'X-Forwarded-For': address }, server, 'https://evil.example');
  }
  const { requests, rejections, top } = await trafficOf(server, tenant);
  expect(rejections.length).toBeLessThanOrEqual(200);
  expect(top.networks.items.length).toBeLessThanOrEqual(20);
  expect(top.networks.max_error).toBeGreaterThan(0);
  expect(top.networks.max_error).toBeLessThanOrEqual(requests / 64);
  expect(top.hosts).toEqual({
    items: [{ value: 'evil.example', requests, rejected: requests }],
    max_error: 0,
  });
});
