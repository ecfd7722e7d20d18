import { afterEach, describe, expect, test } from 'bun:test';
import { INSTALLATION } from '../../src/model/actor.ts';
import { PROBLEMS } from '../../src/model/problems.ts';
import { type DnsAnswer, startDns, type TestDns } from '../support/dns.ts';
import { type Api, api, idsOf, propertyIdOf } from '../support/platform.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../support/server.ts';
import { waitUntil } from '../support/waitUntil.ts';

let server: TestServer;
let dns: TestDns;

afterEach(async () => {
  await server.stop();
  await dns.stop();
});

async function open(table: Record<string, DnsAnswer>, settings: Record<string, string> = {}): Promise<void> {
  dns = await startDns(table);
  server = await startServer({
    settings: { POSTERN_DNS_SERVERS: dns.address, POSTERN_DNS_TIMEOUT_MS: '300', ...settings },
  });
}

type Visitor = { readonly tenant: Tenant; readonly client: Api; readonly org: string; readonly old: string };

/** A client of the Platform API with an organization and a property of example.com. */
async function addVisitor(): Promise<Visitor> {
  const tenant = await addTenant(server);
  const { org, property } = idsOf(server, tenant);
  return { tenant, client: api(server, tenant.portalKey), org, old: property };
}

let names = 0;
const item = (domain: string) => ({ name: `Blog ${++names}`, domain });

const A = { A: ['192.0.2.1'] };
/** The sentences distinguish a wrong domain from a temporary failure. */
const MISSING = PROBLEMS['domain-unresolved'].sentence;
const UNANSWERED = PROBLEMS['dns-unanswered'].sentence;

describe('the DNS check', () => {
  const cases: readonly (readonly [string, DnsAnswer, string | undefined])[] = [
    ['an address', A, undefined],
    ['only an IPv6 address', { AAAA: ['2001:db8:0:0:0:0:0:1'] }, undefined],
    ['an alias with an address', { CNAME: 'elsewhere.example', ...A }, undefined],
    ['an alias without an address', { CNAME: 'nowhere.example' }, undefined],
    ['an answer over TCP', { ...A, isTruncated: true }, undefined],
    ['a late answer', { ...A, delayMs: 150 }, undefined],
    ['NXDOMAIN', { failure: 'NXDOMAIN' }, MISSING],
    ['no records', { failure: 'NODATA' }, MISSING],
    ['SERVFAIL', { failure: 'SERVFAIL' }, UNANSWERED],
    ['REFUSED', { failure: 'REFUSED' }, UNANSWERED],
    ['no response', { silence: true }, UNANSWERED],
    ['an invalid response', { garbage: new Uint8Array(40).fill(255) }, UNANSWERED],
  ];

  test('decides each item of a creation separately', async () => {
    await open(Object.fromEntries(cases.map(([, answer], i) => [`d${i}.example`, answer])));
    const { client, org } = await addVisitor();
    const items = cases.map((_, i) => item(`d${i}.example`));
    const result = await client.run('POST', `/org/${org}/properties`, items);
    expect(result).toHaveLength(cases.length);
    for (const [i, [title, , rejection]] of cases.entries()) {
      const entry = result[i];
      const { name } = items[i] ?? {};
      const expected = rejection === undefined ? { code: 1000 } : { code: 1209, description: rejection };
      expect({ title, ...entry }).toMatchObject({ title, name, ...expected });
      expect(Object.keys(entry ?? {})).toEqual(
        rejection === undefined
          ? ['code', 'description', 'id', 'name', 'sitekey']
          : ['code', 'description', 'name'],
      );
    }
    const { data } = await client.get<readonly unknown[]>(`/org/${org}/properties`);
    expect(data).toHaveLength(1 + cases.filter(([, , rejection]) => rejection === undefined).length);
  });

  test('decides updates too, and an item with an unknown domain changes nothing', async () => {
    await open({ 'there.example': A });
    const { client, org, old, tenant } = await addVisitor();
    const [rejected] = await client.run('PUT', '/properties', [
      { id: old, domain: 'nowhere.example', level: 9 },
    ]);
    expect(rejected).toMatchObject({ code: 1209, id: old });
    expect((await client.get(`/org/${org}/property/${old}`)).data).toMatchObject({
      domain: 'example.com',
      level: 1,
    });
    const [done] = await client.run('PUT', '/properties', [{ id: old, domain: 'there.example', level: 9 }]);
    expect(done).toMatchObject({ code: 1000, id: old, name: 'Blog', sitekey: tenant.property.sitekey });
    expect((await client.get(`/org/${org}/property/${old}`)).data).toMatchObject({
      domain: 'there.example',
      level: 9,
    });
  });

  test('rejects items if no DNS server responds', async () => {
    await open({});
    const { client, org } = await addVisitor();
    await dns.stop();
    const [entry] = await client.run('POST', `/org/${org}/properties`, [item('a.example')]);
    dns = await startDns();
    expect(entry).toMatchObject({ code: 1209, description: UNANSWERED });
  });
});

describe('DNS queries', () => {
  test('are sent once for each domain of a batch', async () => {
    await open({ 'one.example': A });
    const { client, org } = await addVisitor();
    const items = Array.from({ length: 128 }, () => item('ONE.example'));
    const result = await client.run('POST', `/org/${org}/properties`, items);
    expect(new Set(result.map(({ code }) => code))).toEqual(new Set([1000]));
    expect([...dns.queries]).toEqual([['one.example', 1]]);
  });

  // 60 batches of 128 domains used to send 23,040 queries at once.
  test('are limited to 20 per second for each user, which does not delay other users', async () => {
    await open({ '*': A });
    const [busy, other] = [await addVisitor(), await addVisitor()];
    const begun = performance.now();
    const batch = (of: number) => Array.from({ length: 25 }, (_, i) => item(`d${i}.b${of}.example`));
    const start = async (of: number) =>
      (await busy.client.post<{ id: string }>(`/org/${busy.org}/properties`, batch(of))).data.id;
    const ids = [
      await start(1),
      await start(2),
      await start(3),
      await start(4),
      await start(5),
      await start(6),
    ];
    const [entry] = await other.client.run('POST', `/org/${other.org}/properties`, [item('other.example')]);
    expect(entry?.code).toBe(1000);
    for (const id of ids) await busy.client.finished(id);
    const domains = [...dns.queries.keys()];
    expect(domains).toHaveLength(1 + 150);
    // Other users do not wait for the rest of the 150 domains, which take more than six seconds.
    expect(domains.indexOf('other.example')).toBeLessThan(150);
    expect(performance.now() - begun).toBeGreaterThan(6000);
  });

  test('are not repeated within the TTL, for any user', async () => {
    await open({ '*': { ...A, ttlSeconds: 60 } });
    for (const { client, org } of [await addVisitor(), await addVisitor()]) {
      for (let i = 0; i < 3; i++) {
        const batch = ['a.example', 'b.example'].map(item);
        const result = await client.run('POST', `/org/${org}/properties`, batch);
        expect(result.map(({ code }) => code)).toEqual([1000, 1000]);
      }
    }
    expect([...dns.queries].sort()).toEqual([
      ['a.example', 1],
      ['b.example', 1],
    ]);
  });

  test('are sent for changed domains only', async () => {
    await open({ '*': A });
    const { client, org, old, tenant } = await addVisitor();
    const { services } = server.app;
    const more = await Promise.all(
      ['b', 'c'].map(async (name) => {
        const draft = { organizationId: tenant.organization.id, name, domain: `${name}.example` };
        const created = await services.properties.create(INSTALLATION, draft);
        if (!created.ok) throw new Error(created.problem);
        return propertyIdOf(server, created.value);
      }),
    );
    const unchanged = [{ id: old, domain: 'EXAMPLE.com' }, { id: more[0], level: 3 }, { id: more[1] }];
    const result = await client.run('PUT', '/properties', unchanged);
    expect(result.map(({ code }) => code)).toEqual([1000, 1000, 1000]);
    await client.run('DELETE', '/properties', [more[1]]);
    const [gone] = await client.run('PUT', '/properties', [{ id: more[1], domain: 'new.example' }]);
    expect(gone?.code).toBe(1212);
    expect([...dns.queries.keys()]).toEqual([]);
    const moved = [old, more[0]].map((id) => ({ id, domain: 'new.example' }));
    await client.run('PUT', '/properties', moved);
    expect([...dns.queries]).toEqual([['new.example', 1]]);
    await client.run('DELETE', '/properties', [old]);
    expect(dns.queries.size).toBe(1);
    expect((await client.get<unknown[]>(`/org/${org}/properties`)).data).toHaveLength(1);
  });

  test('are not sent with POSTERN_DNS_CHECK=off', async () => {
    await open({}, { POSTERN_DNS_CHECK: 'off' });
    const { client, org, old } = await addVisitor();
    const [created] = await client.run('POST', `/org/${org}/properties`, [item('nowhere.example')]);
    const [moved] = await client.run('PUT', '/properties', [{ id: old, domain: 'never.example' }]);
    expect([created?.code, moved?.code]).toEqual([1000, 1000]);
    expect(dns.queries.size).toBe(0);
  });
});

describe('a DNS server that does not respond', () => {
  const isFinished = async ({ client }: Visitor, id: string) =>
    (await client.get<{ finished: boolean }>(`/asynctask/${id}`)).data.finished;

  async function startSlow({ client, org }: Visitor, domains: number): Promise<string> {
    const items = Array.from({ length: domains }, (_, i) => item(`slow${i}.example`));
    return (await client.post<{ id: string }>(`/org/${org}/properties`, items)).data.id;
  }

  test('delays only the tasks of the user, which end in order', async () => {
    await open({ 'quick.example': A, '*': { silence: true } }, { POSTERN_DNS_TIMEOUT_MS: '3000' });
    const [slow, quick] = [await addVisitor(), await addVisitor()];
    const first = await startSlow(slow, 2);
    const next = (await slow.client.delete<{ id: string }>('/properties', [slow.old])).data.id;
    const result = await quick.client.run('POST', `/org/${quick.org}/properties`, [item('quick.example')]);
    expect(result[0]?.code).toBe(1000);
    expect([await isFinished(slow, first), await isFinished(slow, next)]).toEqual([false, false]);
    // If the second task is finished, the first one is too.
    await waitUntil('the second task is finished', () => isFinished(slow, next));
    expect(await isFinished(slow, first)).toBe(true);
  });

  test('does not delay other users and visitors, even with twenty users', async () => {
    await open({ 'quick.example': A, '*': { silence: true } }, { POSTERN_DNS_TIMEOUT_MS: '10000' });
    const slow = await Promise.all(Array.from({ length: 20 }, addVisitor));
    const quick = await addVisitor();
    const ids = await Promise.all(slow.map((one) => startSlow(one, 20)));
    const result = await quick.client.run('POST', `/org/${quick.org}/properties`, [item('quick.example')]);
    expect(result[0]?.code).toBe(1000);
    const puzzle = await fetch(`${server.url}/puzzle?sitekey=${quick.tenant.property.sitekey}`, {
      headers: { Origin: 'https://example.com' },
    });
    expect(puzzle.status).toBe(200);
    const isDone = await Promise.all(slow.map((one, i) => isFinished(one, ids[i] ?? '')));
    expect(isDone).not.toContain(true);
  });
});
