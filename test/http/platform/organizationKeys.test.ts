import { describe, expect, test } from 'bun:test';
import { VERDICT_CODES } from '../../../src/captcha/verdict.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api, idsOf, type Named } from '../../support/platform.ts';
import { addTenant, expectOk } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const limited = useServer({ settings: { POSTERN_PORTAL_RATE: '1', POSTERN_PORTAL_BURST: '5' } });
const other = useTenant(server);
const services = () => server.app.services;

/** A tenant whose organization has a key. */
async function openOrganization(scope: 'portal' | 'verify' = 'portal', at = server) {
  const tenant = await addTenant(at);
  const { id: organizationId } = tenant.organization;
  const draft = { isOrganizationOwned: true, organizationId, name: 'Production', scope } as const;
  const created = await at.app.services.apiKeys.create(INSTALLATION, {
    ...draft,
    isReadOnly: false,
    expiresAt: undefined,
  });
  const { key, secret } = expectOk(created);
  return { tenant, key, secret, as: api(at, secret), ...idsOf(at, tenant) };
}

describe('an API key of an organization', () => {
  test('reads the organization and changes its properties, and nothing else', async () => {
    const { as, org, property, tenant } = await openOrganization();
    const { data } = await as.get<Named[]>('/orgs');
    expect(data.map(({ id }) => id)).toEqual([org]);
    const made = await as.run('POST', `/org/${org}/properties`, [{ name: 'New', domain: 'example.org' }]);
    expect(made).toMatchObject([{ code: 1000 }]);
    expect(await as.run('PUT', '/properties', [{ id: property, level: 9 }])).toMatchObject([{ code: 1000 }]);
    expect(await as.post('/org', { name: 'Another' })).toMatchObject({ status: 403, code: 1106 });
    expect(await as.put('/org', { id: org, name: 'Mine' })).toMatchObject({ status: 403, code: 1106 });
    expect(await as.delete('/org', { id: org })).toMatchObject({ status: 403, code: 1106 });
    const foreign = idsOf(server, other);
    expect(await as.get(`/org/${foreign.org}/properties`)).toMatchObject({ status: 403, code: 1106 });
    expect(await as.run('DELETE', '/properties', [foreign.property])).toMatchObject([{ code: 1214 }]);
    const { entries } = await services().audit.list(
      INSTALLATION,
      { actions: ['property-created'] },
      { limit: 1 },
    );
    expect(entries).toMatchObject([
      { actor: `API key Production of organization ${tenant.organization.name}`, accountId: undefined },
    ]);
  });

  test('has no access to another organization of the same owner', async () => {
    const { as, tenant } = await openOrganization();
    const draft = { name: 'Second', ownerId: tenant.account.id };
    const { id } = expectOk(await services().organizations.create(INSTALLATION, draft));
    const second = services().ids.seal('organization', id);
    expect(await as.get(`/org/${second}/properties`)).toMatchObject({ status: 403, code: 1106 });
  });

  test('keeps working when its creator is disabled, and stops when it is revoked or the organization is deleted', async () => {
    const { tenant, key, secret, as, org } = await openOrganization();
    expectOk(await services().users.disable(INSTALLATION, tenant.account.id));
    expect(await as.get(`/org/${org}/properties`)).toMatchObject({ status: 200 });
    expect(await api(server, tenant.portalKey).get('/orgs')).toMatchObject({ status: 401 });
    expectOk(await services().apiKeys.revoke(INSTALLATION, key.id));
    expect(await as.get('/orgs')).toMatchObject({ status: 401 });
    const second = await openOrganization();
    expect(second.secret).not.toBe(secret);
    expectOk(await services().organizations.remove(INSTALLATION, second.tenant.organization.id));
    expect(await second.as.get('/orgs')).toMatchObject({ status: 401 });
  });

  test('has a rate limit that is separate from that of the owner', async () => {
    const { as, tenant } = await openOrganization('portal', limited);
    const own = api(limited, tenant.portalKey);
    for (let count = 0; count < 5; count++) await own.get('/orgs');
    expect(await own.get('/orgs')).toMatchObject({ status: 429 });
    expect(await as.get('/orgs')).toMatchObject({ status: 200 });
  });

  test('shares its tasks with the other keys of the organization only', async () => {
    const { as, org, tenant } = await openOrganization();
    const { data } = await as.post<{ id: string }>(`/org/${org}/properties`, [
      { name: 'A', domain: 'example.org' },
    ]);
    await as.finished(data.id);
    expect(await as.get(`/asynctask/${data.id}`)).toMatchObject({ status: 200 });
    expect(await api(server, tenant.portalKey).get(`/asynctask/${data.id}`)).toMatchObject({ status: 404 });
    const own = await api(server, tenant.portalKey).post<{ id: string }>(`/org/${org}/properties`, [
      { name: 'B', domain: 'example.org' },
    ]);
    expect(await as.get(`/asynctask/${own.data.id}`)).toMatchObject({ status: 404 });
  });

  test('can rotate itself, and is then the actor', async () => {
    const { as, tenant } = await openOrganization();
    const { data } = await as.ask<{ secret: string }>('POST', '/apikey/rotate');
    expect(await api(server, data.secret).get('/orgs')).toMatchObject({ status: 200 });
    const { entries } = await services().audit.list(INSTALLATION, { actions: ['key-rotated'] }, { limit: 1 });
    const actor = `API key Production of organization ${tenant.organization.name}`;
    expect(entries).toMatchObject([{ actor, organizationId: tenant.organization.id, source: 'api-key' }]);
  });

  test('verifies solutions for its organization', async () => {
    const { secret, tenant } = await openOrganization('verify');
    const answerTo = async (sitekey: string) =>
      verify(server.url, secret, await fetchAndSolve(server.url, sitekey));
    expect(await answerTo(tenant.property.sitekey)).toMatchObject({ success: true, code: 0 });
    expect(await answerTo(other.property.sitekey)).toMatchObject({
      success: false,
      code: VERDICT_CODES['property-owner-mismatch'],
    });
  });
});
