import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { HOUR, type Instant, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { toHour } from '../../../src/model/statistics.ts';
import { type PageResponse, signedIn } from '../../support/portal.ts';
import { addTenant, expectOk, startServer, type TestServer } from '../../support/server.ts';

const now = Date.UTC(2026, 0, 31, 12, 30) as Instant;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    now,
    settings: { POSTERN_VERIFY_RATE: '0.001', POSTERN_VERIFY_BURST: '3' },
  });
});
afterAll(() => server.stop());

/** The text of each row of a table. */
function rowsIn({ text }: PageResponse, heading: string): readonly string[] {
  const table = text.slice(text.indexOf(heading));
  const rows = table.slice(0, table.indexOf('</table>')).split('<tr>').slice(2);
  return rows.map((row) =>
    row
      .replace(/<svg.*?<\/svg>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

describe('requests of an API key', () => {
  test('are counted by outcome and shown on the page of the key and in the list', async () => {
    const { account, verifyKey, portalKey } = await addTenant(server);
    const send = (payload: string) =>
      fetch(`${server.url}/verify`, { method: 'POST', headers: { 'X-API-Key': verifyKey }, body: payload });
    for (const status of [400, 400]) expect((await send('nonsense')).status).toBe(status);
    // A key of the wrong scope is not counted.
    for (const secret of [verifyKey, portalKey]) {
      const form = new URLSearchParams({ secret, response: 'x' });
      expect((await fetch(`${server.url}/siteverify`, { method: 'POST', body: form })).status).toBe(200);
    }
    expect((await send('nonsense')).status).toBe(429);
    const asked = await fetch(`${server.url}/orgs`, { headers: { 'X-API-Key': portalKey } });
    expect(asked.status).toBe(200);
    await server.app.flush();
    const browser = await signedIn(server, account);
    const pathOf = async (scope: string) => {
      const key = (await server.app.services.apiKeys.list(INSTALLATION, account)).find(
        (one) => one.scope === scope,
      );
      return `/portal/settings/api-keys/${server.app.services.ids.seal('api-key', key?.id as never)}`;
    };
    const [verify, portal] = [
      await browser.get(await pathOf('verify')),
      await browser.get(await pathOf('portal')),
    ];
    expect(rowsIn(verify, 'Requests over time')).toEqual(['Last 24 hours 0 3 1', 'Last 30 days 0 3 1']);
    expect(rowsIn(portal, 'Requests over time')).toEqual(['Last 24 hours 1 0 0', 'Last 30 days 1 0 0']);
    expect(verify.text).toContain('By hour: 4 in this hour, 4 in the busiest hour');
    const list = (await browser.get('/portal/settings/api-keys')).text;
    expect(list).toContain('<span>4</span>');
  });
});

describe('hits of a rule', () => {
  test('are shown by hour and day', async () => {
    const { account, property } = await addTenant(server);
    const { rules } = server.app.services;
    const wanted = { name: 'Agents', action: 'block', conditions: { user_agents: ['*curl*'] } };
    const [rule] = expectOk(await rules.replace(INSTALLATION, property.id, [wanted])).rules;
    if (rule === undefined) throw new Error('no rule');
    const hitAt = (lastHitAt: Instant, hits: number) => ({ id: rule.id, hits, lastHitAt });
    const { stores } = server.app.services;
    await stores.rules.addHits([
      hitAt(now, 2),
      hitAt(later(now, -3 * HOUR), 5),
      hitAt(later(now, -48 * HOUR), 9),
    ]);
    expect(
      await stores.statistics.byHour({ rule: rule.id }, toHour(now), (toHour(now) + 1) as never),
    ).toHaveLength(1);
    const browser = await signedIn(server, account);
    const seal = server.app.services.ids.seal;
    const path = `/portal/orgs/${seal('organization', property.organizationId)}/properties/${seal('property', property.id)}/rules`;
    const shown = await browser.get(`${path}/${rule.id}`);
    expect(rowsIn(shown, 'Hits over time')).toEqual(['Last 24 hours 7', 'Last 30 days 16']);
    expect(shown.text).toContain('By hour: 2 in this hour, 5 in the busiest hour');
    expect((await browser.get(path)).text).toContain('<span>7</span>');
  });
});
