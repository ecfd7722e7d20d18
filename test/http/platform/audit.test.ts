import { describe, expect, test } from 'bun:test';
import { COMMAND_LINE, INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import type { StoredAuditEntry } from '../../../src/model/audit.ts';
import { api, idsOf, type Named, propertyIdOf } from '../../support/platform.ts';
import { addKey, addTenant, type Tenant } from '../../support/server.ts';
import { useClient, useServer, useTenant } from '../../support/useServer.ts';

/** The address in the header of the proxy. The audit log contains the full address, not its network. */
const ADDRESS = '2001:db8:0:7:1:2:3:4';

const server = useServer({
  settings: { POSTERN_DNS_CHECK: 'off', POSTERN_TRUSTED_PROXIES: '127.0.0.1' },
});
const tenant = useTenant(server);
const client = useClient(server, tenant);

/** Audit log entries since `work` started, oldest first. */
async function entriesOf(work: () => Promise<unknown>): Promise<StoredAuditEntry[]> {
  const newest = async () => (await server.app.services.audit.list(INSTALLATION, {}, { limit: 100 })).entries;
  const before = (await newest())[0]?.id ?? 0;
  await work();
  return (await newest()).filter(({ id }) => id > before).toReversed();
}

const actOf = ({ action, object }: StoredAuditEntry) => [action, object];

describe('the audit log of the Platform API', () => {
  test('contains the actor, the action, the organization, and the address', async () => {
    const headers = { 'X-API-Key': tenant.portalKey, 'Content-Type': 'application/json' };
    const write = async (method: string, body: unknown) => {
      const init = {
        method,
        headers: { ...headers, 'X-Forwarded-For': ADDRESS },
        body: JSON.stringify(body),
      };
      const response = await fetch(`${server.url}/org`, init);
      expect(response.status).toBe(200);
      return (await response.json()) as { data: Named };
    };
    const entries = await entriesOf(async () => {
      const { id } = (await write('POST', { name: 'Made' })).data;
      await write('PUT', { id, name: 'Renamed' });
      await write('DELETE', { id });
    });
    expect(entries.map(actOf)).toEqual([
      ['organization-created', 'Made'],
      ['organization-renamed', 'Renamed: name "Made" -> "Renamed"'],
      ['organization-deleted', 'Renamed'],
    ]);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        at: server.clock.now,
        accountId: tenant.account.id,
        actor: tenant.account.email,
        source: 'api-key',
        address: ADDRESS,
        organizationId: entries[0]?.organizationId,
      });
    }
  });

  test('has an entry for each property that a batch changed', async () => {
    const { org } = idsOf(server, tenant);
    const item = (name: string) => ({ name, domain: 'example.com' });
    let made: readonly { id?: string; sitekey?: string }[] = [];
    const created = await entriesOf(async () => {
      // The task rejects the second one, because the tenant already has a property with this name.
      made = await client.run('POST', `/org/${org}/properties`, [item('One'), item('blog'), item('Two')]);
    });
    expect(created.map(actOf)).toEqual([
      ['property-created', `One (${made[0]?.sitekey})`],
      ['property-created', `Two (${made[2]?.sitekey})`],
    ]);
    const changed = await entriesOf(async () => {
      await client.run('PUT', '/properties', [{ id: made[0]?.id, level: 9 }]);
      await client.run('DELETE', '/properties', [made[2]?.id]);
    });
    expect(changed.map(actOf)).toEqual([
      ['property-updated', `One (${made[0]?.sitekey}): level 128 -> 9`],
      ['property-deleted', `Two (${made[2]?.sitekey})`],
    ]);
    for (const entry of [...created, ...changed]) {
      const { id: accountId, email: actor } = tenant.account;
      const organizationId = tenant.organization.id;
      expect(entry).toMatchObject({
        accountId,
        actor,
        source: 'api-key',
        address: '127.0.0.1',
        organizationId,
      });
    }
  });

  test('has no entries for reads and rejected requests', async () => {
    const otherTenant = await addTenant(server);
    const { org } = idsOf(server, tenant);
    const reader = api(
      server,
      await addKey(server.app.services, tenant.account, 'portal', { isReadOnly: true }),
    );
    const entries = await entriesOf(async () => {
      await client.get('/orgs');
      await client.get(`/org/${org}/properties`);
      await reader.post('/org', { name: 'Rejected' });
      await client.post('/org', { name: '' });
      await api(server, otherTenant.portalKey).put('/org', { id: org, name: 'Stolen' });
      await api(server, otherTenant.portalKey).delete('/org', { id: org });
      await api(server, otherTenant.portalKey).run('DELETE', '/properties', [
        propertyIdOf(server, tenant.property),
      ]);
    });
    expect(entries).toEqual([]);
  });

  test('is visible only to members of the organization and administrators', async () => {
    const { services } = server.app;
    const [member, otherTenant] = [await addTenant(server), await addTenant(server)];
    await services.members.add(INSTALLATION, tenant.organization.id, member.account);
    const [entry] = await entriesOf(() =>
      client.put('/org', { id: idsOf(server, tenant).org, name: 'Seen' }),
    );
    const sees = async (account: Tenant['account']) => {
      const { entries } = await services.audit.list(
        portalActor(account, undefined),
        { object: 'seen' },
        { limit: 10 },
      );
      return entries.map(({ id }) => id);
    };
    expect(await sees(tenant.account)).toEqual([entry?.id] as never);
    expect(await sees(member.account)).toEqual([entry?.id] as never);
    expect(await sees(otherTenant.account)).toEqual([]);
    expect(await sees({ ...otherTenant.account, isAdmin: true })).toEqual([entry?.id] as never);
  });

  test('is divided into pages', async () => {
    const { services } = server.app;
    const action = 'signing-key-rotated';
    const filter = { actions: [action] } as const;
    for (const object of ['a', 'b', 'c']) {
      await services.audit.recordAction(COMMAND_LINE, { action, object });
    }
    const first = await services.audit.list(INSTALLATION, filter, { limit: 2 });
    const second = await services.audit.list(INSTALLATION, filter, { before: first.older, limit: 2 });
    expect(first.entries.map(({ object }) => object)).toEqual(['c', 'b']);
    expect(second.entries.map(({ object }) => object)).toEqual(['a']);
    expect([first.older, second.older]).toEqual([first.entries[1]?.id, undefined] as never);
  });

  test('is reported in the log if it cannot be written, and the action is still performed', async () => {
    const { raw } = server;
    await raw.query('ALTER TABLE audit RENAME TO hidden');
    const response = await client.post<Named>('/org', { name: 'Unrecorded' });
    await raw.query('ALTER TABLE hidden RENAME TO audit');
    expect(response).toMatchObject({ status: 200, data: { name: 'Unrecorded' } });
    expect((await client.get<Named[]>('/orgs')).data).toContainEqual(expect.objectContaining(response.data));
    const reported = server.logged.filter(({ event }) => event === 'audit-not-written');
    expect(reported).toMatchObject([{ level: 'error', action: 'organization-created' }]);
  });
});
