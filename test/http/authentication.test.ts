import { describe, expect, test } from 'bun:test';
import { later, MINUTE, SECOND } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { ApiKey } from '../../src/model/apiKey.ts';
import { userActor } from '../support/actors.ts';
import { api, idsOf, propertyIdOf } from '../support/platform.ts';
import { addKey, addTenant, expectOk, startServer, type Tenant } from '../support/server.ts';
import { ENGINE } from '../support/testStorage.ts';
import { useServer } from '../support/useServer.ts';
import { fetchPuzzle, solve } from '../support/visitor.ts';

/** The effects of changes to users and organizations on API keys. */

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });

const services = () => server.app.services;

async function verify(key: string, { property }: Tenant) {
  const puzzle = await fetchPuzzle(server.url, property.sitekey, 'https://example.com');
  const response = await fetch(`${server.url}/verify`, {
    method: 'POST',
    headers: { 'X-API-Key': key },
    body: solve(puzzle),
  });
  const { success, code } = (await response.json()) as { success: boolean; code: number };
  return { status: response.status, success, code };
}

/** An owner, and a member whose keys are limited to the owner's organization. */
async function openShared() {
  const [owner, member] = [await addTenant(server), await addTenant(server)];
  expectOk(await services().members.add(INSTALLATION, owner.organization.id, member.account));
  const limit = { organizationId: owner.organization.id };
  const keys = {
    verify: await addKey(services(), member.account, 'verify', limit),
    portal: await addKey(services(), member.account, 'portal', limit),
  };
  const actor = userActor(member.account);
  const asOwner = userActor(owner.account);
  return { owner, member, keys, actor, asOwner, id: owner.organization.id };
}

type Shared = Awaited<ReturnType<typeof openShared>>;

/** Asserts that these keys cannot access the organization. */
async function expectLost({ owner, keys }: Shared): Promise<void> {
  const { org } = idsOf(server, owner);
  const property = propertyIdOf(server, owner.property);
  const client = api(server, keys.portal);
  expect(await verify(keys.verify, owner)).toEqual({ status: 200, success: false, code: 7 });
  const rejections = [
    await client.get(`/org/${org}/properties`),
    await client.get(`/org/${org}/property/${property}`),
    await client.post(`/org/${org}/properties`, [{ name: 'New', domain: 'example.com' }]),
    await client.put('/org', { id: org, name: 'Stolen' }),
    await client.post('/org', { name: 'Mine' }),
  ];
  expect(rejections.map(({ status, code, data }) => ({ status, code, data }))).toEqual(
    rejections.map(() => ({ status: 403, code: 1106, data: null })),
  );
  expect(await client.get('/orgs')).toMatchObject({ status: 200, data: [] });
  const [entry] = await client.run('PUT', '/properties', [{ id: property, level: 9 }]);
  expect(entry).toMatchObject({ code: 1214 });
}

async function expectReach({ owner, keys }: Shared): Promise<void> {
  expect(await verify(keys.verify, owner)).toEqual({ status: 200, success: true, code: 0 });
  const { org } = idsOf(server, owner);
  expect(await api(server, keys.portal).get(`/org/${org}/properties`)).toHaveProperty('status', 200);
}

describe('a key limited to an organization', () => {
  test.each([
    ['left it', async ({ actor, id }: Shared) => expectOk(await services().members.leave(actor, id))],
    [
      'was removed from it',
      async ({ asOwner, member, id }: Shared) =>
        expectOk(await services().members.remove(asOwner, id, member.account.id)),
    ],
  ])('immediately loses access if its user %s', async (_, lose) => {
    const shared = await openShared();
    await expectReach(shared);
    await lose(shared);
    await expectLost(shared);
  });

  test('of the former owner works until the former owner is removed as a member', async () => {
    const shared = await openShared();
    const { owner, member, asOwner, actor, id } = shared;
    const limit = { organizationId: id };
    const keys = {
      verify: await addKey(services(), owner.account, 'verify', limit),
      portal: await addKey(services(), owner.account, 'portal', limit),
    };
    expectOk(await services().members.transfer(asOwner, id, member.account.id));
    await expectReach({ ...shared, keys });
    const { org } = idsOf(server, owner);
    const renaming = { id: org, name: 'Still mine' };
    expect(await api(server, keys.portal).put('/org', renaming)).toMatchObject({ status: 403, code: 1106 });
    expect(await api(server, shared.keys.portal).put('/org', renaming)).toHaveProperty('status', 200);
    expectOk(await services().members.remove(actor, id, owner.account.id));
    await expectLost({ ...shared, keys });
  });
});

describe('a disabled user', () => {
  test('immediately has no working key, and the properties continue to work for others', async () => {
    const { owner, member } = await openShared();
    const others = await addKey(services(), member.account, 'verify');
    const client = api(server, owner.portalKey);
    expect(await verify(owner.verifyKey, owner)).toMatchObject({ code: 0 });
    expect(await client.get('/orgs')).toHaveProperty('status', 200);
    expectOk(await services().users.disable(INSTALLATION, owner.account.id));
    expect(await verify(owner.verifyKey, owner)).toEqual({ status: 401, success: false, code: 1 });
    expect(await client.get('/orgs')).toMatchObject({ status: 401, data: null });
    expect(await verify(others, owner)).toEqual({ status: 200, success: true, code: 0 });
    expectOk(await services().users.enable(INSTALLATION, owner.account.id));
    expect(await verify(owner.verifyKey, owner)).toMatchObject({ code: 0 });
    expect(await client.get('/orgs')).toHaveProperty('status', 200);
  });
});

async function keyOf(account: Tenant['account']): Promise<ApiKey | undefined> {
  return (await services().apiKeys.list(INSTALLATION, account)).at(-1);
}

describe("a key's own rate", () => {
  test.each(['portal', 'verify'] as const)('replaces the configured one, scope %s', async (scope) => {
    const tenant = await addTenant(server);
    const secret = await addKey(services(), tenant.account, scope, { rate: 0.5, burst: 2 });
    const ask = async () => {
      const headers = { 'X-API-Key': secret };
      const path = scope === 'portal' ? '/orgs' : '/verify';
      const method = scope === 'portal' ? 'GET' : 'POST';
      const response = await fetch(server.url + path, { method, headers });
      return [response.status === 429, response.headers.get('x-ratelimit-limit')];
    };
    const shown = scope === 'portal' ? '2' : null;
    const endings = [await ask(), await ask(), await ask()];
    expect(endings).toEqual([
      [false, shown],
      [false, shown],
      [true, shown],
    ]);
    server.clock.now = later(server.clock.now, 2 * SECOND);
    expect([await ask(), await ask()]).toEqual([
      [false, shown],
      [true, shown],
    ]);
    // The bucket of a verify key is still empty. A portal key now shares the bucket of its user, which is not empty.
    const { id } = (await keyOf(tenant.account)) as ApiKey;
    const change = { rate: undefined, burst: undefined };
    expectOk(await services().apiKeys.change(userActor(tenant.account), id, change));
    expect((await ask())[0]).toBe(scope === 'verify');
    // Servers that share a limit remember up to four bursts more, because the requests of the others arrive later.
    server.clock.now = later(server.clock.now, ENGINE === 'sqlite' ? 1 : 5 * SECOND);
    expect((await ask())[0]).toBe(false);
  });
});

describe('the last use of a key', () => {
  const lastUseOf = async (account: Tenant['account']) => (await keyOf(account))?.lastUsedAt;
  const flush = async () => {
    while (await services().keyUses.flush());
  };

  test.each(['portal', 'verify'] as const)('is stored to the minute, scope %s', async (scope) => {
    const { account } = await addTenant(server);
    const secret = await addKey(services(), account, scope);
    const ask = () =>
      scope === 'portal'
        ? api(server, secret).get('/orgs')
        : fetch(`${server.url}/verify`, { method: 'POST', headers: { 'X-API-Key': secret } });
    await ask();
    expect(await lastUseOf(account)).toBeUndefined();
    await flush();
    const first = await lastUseOf(account);
    expect(first).toBe((server.clock.now - (server.clock.now % MINUTE)) as never);
    server.clock.now = later(server.clock.now, MINUTE);
    await flush();
    expect(await lastUseOf(account)).toBe(first as never);
    await ask();
    await flush();
    expect(await lastUseOf(account)).toBe(((first ?? 0) + MINUTE) as never);
  });

  test('does not change if the key is rejected', async () => {
    const { account } = await addTenant(server);
    const secret = await addKey(services(), account, 'verify');
    expect(await api(server, secret).get('/orgs')).toHaveProperty('status', 403);
    await flush();
    expect(await lastUseOf(account)).toBeUndefined();
  });

  test('is stored when the server stops', async () => {
    const other = await startServer();
    const { account, portalKey } = await addTenant(other);
    await api(other, portalKey).get('/orgs');
    const { stores } = other.app.services;
    const written: number[] = [];
    const { recordUses } = stores.apiKeys;
    stores.apiKeys.recordUses = async (uses) => {
      await recordUses(uses);
      written.push(
        ...(await stores.apiKeys.list({ accountId: account.id })).flatMap(
          ({ lastUsedAt }) => lastUsedAt ?? [],
        ),
      );
    };
    await other.stop();
    expect(written).toHaveLength(1);
  });
});
