import { beforeEach, describe, expect, test } from 'bun:test';
import { bytesFromBase64 } from '../../../src/lib/bytes.ts';
import { HOUR, later, MINUTE, SECOND, toIso } from '../../../src/lib/time.ts';
import { COMMAND_LINE, INSTALLATION } from '../../../src/model/actor.ts';
import { parsePuzzle } from '../../../src/puzzle/puzzle.ts';
import { api, idsOf } from '../../support/platform.ts';
import { addTenant, expectOk } from '../../support/server.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';
import { fetchPuzzle } from '../../support/visitor.ts';

let ofProperty: string;
let ofOrganization: string;

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server, { level: 112, growth: 'constant' }, { per: 'test' });
const client = useClient(server, tenant, { per: 'test' });
beforeEach(() => {
  const { org, property } = idsOf(server, tenant);
  ofProperty = `/org/${org}/property/${property}/attack`;
  ofOrganization = `/org/${org}/attack`;
});

type State = { readonly until: string | null };
const ask = (method: string, path: string) => client.ask<State>(method, path);
const inAnHour = () => toIso(later(server.clock.now, HOUR));

/** The end that applies to the property. */
async function end(): Promise<string> {
  const property = await server.app.services.stores.properties.byId(tenant.property.id);
  return toIso(property?.attackUntil ?? tenant.property.attackUntil);
}

async function difficulty(): Promise<number | undefined> {
  const [text = ''] = (await fetchPuzzle(server.url, tenant.property.sitekey)).split('.');
  return parsePuzzle(bytesFromBase64(text) ?? new Uint8Array())?.difficulty;
}

/** Actions of the audit log, oldest first. */
async function actions(): Promise<readonly string[]> {
  const rows = await server.raw.query<{ action: string }>(
    "SELECT action FROM audit WHERE organization_id = ? AND action LIKE '%-attack-%' ORDER BY id",
    [tenant.organization.id],
  );
  return rows.map(({ action }) => action);
}

describe('attack mode of a property', () => {
  test('raises the level from its start to its end an hour later, and is over without another request', async () => {
    expect(await difficulty()).toBe(112);
    expect(await ask('POST', ofProperty)).toMatchObject({ status: 200, data: { until: inAnHour() } });
    expect(await end()).toBe(inAnHour());
    expect(await difficulty()).toBeGreaterThanOrEqual(144);
    server.clock.now = later(server.clock.now, HOUR - SECOND);
    expect(await difficulty()).toBeGreaterThanOrEqual(144);
    server.clock.now = later(server.clock.now, SECOND);
    expect(await difficulty()).toBe(112);
  });

  test('lasts longer after another start, and ends at once', async () => {
    await ask('POST', ofProperty);
    server.clock.now = later(server.clock.now, 30 * MINUTE);
    expect((await ask('POST', ofProperty)).data).toEqual({ until: inAnHour() });
    expect((await ask('DELETE', ofProperty)).data).toEqual({ until: null });
    expect(await difficulty()).toBe(112);
    expect((await ask('DELETE', ofProperty)).status).toBe(200);
    const [started, ended] = ['property-attack-started', 'property-attack-ended'];
    expect(await actions()).toEqual([started, started, ended] as string[]);
  });

  test('keeps its end when settings of the property change', async () => {
    await ask('POST', ofProperty);
    const { property } = idsOf(server, tenant);
    await client.run('PUT', '/properties', [{ id: property, level: 200 }]);
    expect(await end()).toBe(inAnHour());
    expect(await difficulty()).toBeGreaterThanOrEqual(216);
  });

  test('adds to rules that adjust the level, and leaves the level of others to them', async () => {
    await ask('POST', ofProperty);
    const { services } = server.app;
    const conditions = { networks: ['127.0.0.0/8', '::1/128'] };
    const replace = async (action: object) => {
      const rules = [{ name: 'All', ...action, conditions }];
      expectOk(await services.rules.replace(INSTALLATION, tenant.property.id, rules));
    };
    await replace({ action: 'set', level: 100 });
    expect(await difficulty()).toBeLessThan(144);
    await replace({ action: 'adjust', levels: 8 });
    expect(await difficulty()).toBeGreaterThanOrEqual(152);
    await replace({ action: 'allow' });
    expect(await difficulty()).toBe(1);
  });
});

describe('attack mode of an organization', () => {
  test('applies to its properties, and is independent of theirs', async () => {
    const { services } = server.app;
    expectOk(await services.attackMode.ofOrganization(COMMAND_LINE, tenant.organization.id, true));
    expect(await end()).toBe(inAnHour());
    expect(await difficulty()).toBeGreaterThanOrEqual(144);
    expect((await ask('DELETE', ofProperty)).data).toEqual({ until: inAnHour() });
    await ask('POST', ofProperty);
    expect((await ask('DELETE', ofOrganization)).data).toEqual({ until: null });
    expect(await end()).toBe(inAnHour());
  });

  test('can be started and ended by its owner only', async () => {
    const other = await addTenant(server);
    expectOk(await server.app.services.members.add(INSTALLATION, tenant.organization.id, other.account));
    const member = api(server, other.portalKey);
    expect(await member.ask('POST', ofOrganization)).toMatchObject({ status: 403 });
    expect((await member.ask<State>('POST', ofProperty)).data).toEqual({ until: inAnHour() });
    expect(await actions()).toEqual(['property-attack-started']);
  });

  test('is not accessible to others', async () => {
    const other = api(server, (await addTenant(server)).portalKey);
    for (const path of [ofProperty, ofOrganization])
      for (const method of ['POST', 'DELETE']) expect((await other.ask(method, path)).status).toBe(403);
    expect(await actions()).toEqual([]);
    expect(await difficulty()).toBe(112);
  });
});
