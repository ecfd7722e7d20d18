import { beforeEach, describe, expect, test } from 'bun:test';
import { api, idsOf } from '../../support/platform.ts';
import { addTenant } from '../../support/server.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

let org: string;
let id: string;

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server, {}, { per: 'test' });
const client = useClient(server, tenant, { per: 'test' });
beforeEach(() => {
  ({ org, property: id } = idsOf(server, tenant));
});

const detail = async () => (await client.get<Record<string, unknown>>(`/org/${org}/property/${id}`)).data;
const puzzle = (sitekey: string) =>
  fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers: { Origin: 'https://example.com' } });
const change = (item: object) => client.run('PUT', '/properties', [{ id, ...item }]);
/** Actions of the audit log about the tenant's property, oldest first. */
async function actions(): Promise<readonly string[]> {
  const select = 'SELECT action FROM audit WHERE subject LIKE ? ORDER BY id';
  const rows = await server.raw.query<{ action: string }>(select, [`%${tenant.property.sitekey}%`]);
  return rows.map(({ action }) => action);
}

describe('a disabled property', () => {
  test('issues no puzzles, its solutions get code 1, and both work again after it is enabled', async () => {
    const { sitekey } = tenant.property;
    const before = await fetchAndSolve(server.url, sitekey);
    expect(await change({ enabled: false })).toMatchObject([{ code: 1000, id }]);
    expect(await detail()).toMatchObject({ enabled: false, sitekey });
    expect((await puzzle(sitekey)).status).toBe(403);
    expect(await verify(server.url, tenant.verifyKey, before)).toMatchObject({
      status: 200,
      success: false,
      code: 1,
    });
    expect(await change({ enabled: true })).toMatchObject([{ code: 1000, id }]);
    expect((await puzzle(sitekey)).status).toBe(200);
    // The rejected verification did not use up the solution.
    expect(await verify(server.url, tenant.verifyKey, before)).toMatchObject({ success: true, code: 0 });
  });

  test('can be created disabled, and appears in the list', async () => {
    const item = { name: 'Later', domain: 'example.com', enabled: false };
    const [made] = await client.run('POST', `/org/${org}/properties`, [item]);
    expect((await puzzle(made?.sitekey ?? '')).status).toBe(403);
    const { data } = await client.get<{ name: string }[]>(`/org/${org}/properties`);
    expect(data.map(({ name }) => name)).toEqual(['Blog', 'Later']);
  });

  test('gets code 6 rather than code 1 if another sitekey is expected', async () => {
    const payload = await fetchAndSolve(server.url, tenant.property.sitekey);
    await change({ enabled: false });
    const expected = { 'X-PC-Sitekey': '0'.repeat(32) };
    expect(await verify(server.url, tenant.verifyKey, payload, expected)).toMatchObject({ code: 6 });
  });
});

describe('the audit log', () => {
  test('has separate entries for enabling and disabling, and none if neither happened', async () => {
    await change({ enabled: true });
    expect(await actions()).toEqual(['property-updated']);
    await change({ enabled: false });
    await change({ enabled: true, level: 7 });
    expect(await actions()).toEqual([
      'property-updated',
      'property-disabled',
      'property-updated',
      'property-enabled',
    ]);
  });
});

describe('a property as the API returned it', () => {
  test('is accepted by an update, from the list and in detail, and stays as it is', async () => {
    const before = await detail();
    const { data } = await client.get<object[]>(`/org/${org}/properties`);
    expect(await client.run('PUT', '/properties', [before])).toMatchObject([{ code: 1000, id }]);
    expect(await client.run('PUT', '/properties', data)).toMatchObject([{ code: 1000, id }]);
    expect(await detail()).toEqual(before);
    expect(await client.run('PUT', '/properties', [{ ...before, level: 9 }])).toMatchObject([{ code: 1000 }]);
    expect(await detail()).toEqual({ ...before, level: 9 });
  });

  test('may have its sitekey in upper or lower case', async () => {
    const sitekey = tenant.property.sitekey.toUpperCase();
    expect(await change({ sitekey, level: 3 })).toMatchObject([{ code: 1000 }]);
  });

  test('is rejected in its task entry if the sitekey differs, and nothing changes', async () => {
    const before = await detail();
    const [, , , ...others] = tenant.property.sitekey;
    const results = await client.run('PUT', '/properties', [
      { id, level: 9, sitekey: `fff${others.join('')}` },
    ]);
    const description = expect.stringContaining('The sitekey of a property cannot be changed');
    expect(results).toEqual([{ code: 1001, description, id }]);
    expect(await detail()).toEqual(before);
  });

  test('does not reveal to other users whether a sitekey is the stored one', async () => {
    const otherTenant = api(server, (await addTenant(server)).portalKey);
    for (const sitekey of [tenant.property.sitekey, 'f'.repeat(32)]) {
      const results = await otherTenant.run('PUT', '/properties', [{ id, sitekey }]);
      expect(results).toMatchObject([{ code: 1214 }]);
    }
  });

  test.each([[null], [5], [''], ['x'], ['f'.repeat(31)]])(
    'is rejected before its task if the sitekey is invalid: %p',
    async (sitekey) => {
      const reply = await client.put('/properties', [{ id, sitekey }]);
      expect(reply).toMatchObject({ status: 400, code: 1001 });
      expect(reply.description).toContain('sitekey');
    },
  );
});
