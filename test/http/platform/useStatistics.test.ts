import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api, idsOf } from '../../support/platform.ts';
import { addUser } from '../../support/portal.ts';
import { addKey, addTenant, expectOk } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { verify } from '../../support/visitor.ts';

const now = Date.UTC(2026, 0, 31, 12, 30) as Instant;

const server = useServer({ now, settings: { POSTERN_VERIFY_RATE: '0.001', POSTERN_VERIFY_BURST: '2' } });
const tenant = useTenant(server);

type Counts = Readonly<Record<string, unknown>>;
type Report = {
  readonly range: string;
  readonly step: string;
  readonly from: string;
  readonly until: string;
  readonly totals: Counts;
  readonly series: readonly (Counts & { readonly from: string })[];
};

async function reportOf(secret: string, path: string): Promise<Report> {
  await server.app.flush();
  const { status, data } = await api(server, secret).get<Report>(path);
  expect([path, status]).toEqual([path, 200]);
  return data;
}

describe('GET /apikey/stats', () => {
  test('returns the requests of the key by outcome, for keys of both scopes', async () => {
    const { verifyKey, portalKey } = tenant;
    for (const status of [400, 400, 429])
      expect((await verify(server.url, verifyKey, 'nonsense')).status).toBe(status);
    const ofVerify = await reportOf(verifyKey, '/apikey/stats');
    expect(ofVerify.totals).toEqual({ accepted: 0, rejected: 2, limited: 1 });
    expect([ofVerify.range, ofVerify.step, ofVerify.series.length]).toEqual(['24h', 'hour', 24]);
    expect(ofVerify.series.at(-1)).toEqual({
      from: '2026-01-31T12:00:00.000Z',
      ...{ accepted: 0, rejected: 2, limited: 1 },
    });
    // The request for the statistics counts, too.
    expect((await reportOf(verifyKey, '/apikey/stats?range=30d')).totals.accepted).toBe(1);
    expect((await reportOf(portalKey, '/apikey/stats')).totals.limited).toBe(0);
  });

  test('works for read-only keys, and rejects an invalid range', async () => {
    const { services } = server.app;
    const key = await addKey(services, tenant.account, 'portal', { isReadOnly: true });
    expect((await reportOf(key, '/apikey/stats?from=2026-01-01&until=2026-01-03')).series).toHaveLength(2);
    for (const query of ['range=2h', 'from=2026-01-03&until=2026-01-01', 'page=1'])
      expect([query, (await api(server, key).get(`/apikey/stats?${query}`)).status]).toEqual([query, 400]);
  });
});

describe('GET …/rule/{rule_id}/stats', () => {
  const blocked = { name: 'Agents', action: 'block', conditions: { user_agents: ['*curl*'] } };

  async function addRule(scope: Parameters<typeof server.app.services.rules.add>[1]): Promise<string> {
    const { rules, stores } = server.app.services;
    const id = expectOk(await rules.add(INSTALLATION, scope, blocked)).rules.at(-1)?.id;
    if (id === undefined) throw new Error('no rule');
    const hitAt = (lastHitAt: Instant, hits: number) => ({ id, hits, lastHitAt });
    await stores.rules.addHits([hitAt(now, 2), hitAt(later(now, -48 * HOUR), 9)]);
    return id;
  }

  test('returns the hits of a rule to everyone who can see it', async () => {
    const { org, property } = idsOf(server, tenant);
    const path = `/org/${org}/property/${property}/rule/${await addRule(tenant.property.id)}/stats`;
    const day = await reportOf(tenant.portalKey, path);
    expect([day.totals, day.series.at(-1)]).toEqual([
      { hits: 2 },
      { from: '2026-01-31T12:00:00.000Z', hits: 2 },
    ]);
    expect((await reportOf(tenant.portalKey, `${path}?range=30d`)).totals).toEqual({ hits: 11 });
    const other = await addTenant(server);
    expect((await api(server, other.portalKey).get(path)).status).toBe(403);
    const own = idsOf(server, other);
    const elsewhere = path.replace(org, own.org).replace(property, own.property);
    expect((await api(server, other.portalKey).get(elsewhere)).status).toBe(404);
  });

  test('returns the hits of a rule of the installation to administrators only', async () => {
    const path = `/rule/${await addRule('installation')}/stats`;
    const key = await addKey(server.app.services, await addUser(server, true), 'portal');
    expect((await reportOf(key, path)).totals).toEqual({ hits: 2 });
    expect((await api(server, tenant.portalKey).get(path)).status).toBe(403);
  });
});
