import { beforeEach, describe, expect, test } from 'bun:test';
import { type Instant, SECOND } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { addKey, addTenant } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';

const BURST = 3;

const server = useServer({
  settings: { POSTERN_PORTAL_RATE: '0.5', POSTERN_PORTAL_BURST: String(BURST) },
});
const tenant = useTenant(server);

/** Long enough for all buckets to be full. */
beforeEach(() => {
  server.clock.now = (server.clock.now + 1000 * SECOND) as Instant;
});

const orgs = (key: string) => fetch(`${server.url}/orgs`, { headers: { 'X-API-Key': key } });

async function allowedOf(keys: readonly string[]): Promise<number> {
  const statuses = await Promise.all(keys.map(async (key) => (await orgs(key)).status));
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

const keyWith = (rate: number | undefined, burst: number | undefined) =>
  addKey(server.app.services, tenant.account, 'portal', { rate, burst });

describe('the rate limit of the Platform API', () => {
  test('is shared by all keys of a user', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => keyWith(undefined, undefined)));
    expect(await allowedOf(keys)).toBe(BURST);
    const rejected = await orgs(tenant.portalKey);
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get('retry-after')).toBe('2');
    expect(rejected.headers.get('x-ratelimit-limit')).toBe(String(BURST));
  });

  test('does not affect other users and verifications of the same user', async () => {
    const other = await addTenant(server);
    await allowedOf(Array.from({ length: 10 }, () => tenant.portalKey));
    expect((await orgs(other.portalKey)).status).toBe(200);
    const verify = { method: 'POST', headers: { 'X-API-Key': tenant.verifyKey }, body: 'nonsense' };
    expect((await fetch(`${server.url}/verify`, verify)).status).toBe(400);
  });

  test('is lowered by a key’s own rate, which does not add to the shared one', async () => {
    const slow = await keyWith(0.1, 1);
    expect(await allowedOf([slow, slow, slow])).toBe(1);
    expect(await allowedOf(Array.from({ length: 10 }, () => tenant.portalKey))).toBe(BURST - 1);
  });

  test('does not apply to a key with a higher rate from an administrator', async () => {
    const fast = await keyWith(50, 50);
    expect(await allowedOf(Array.from({ length: 60 }, () => fast))).toBe(50);
    expect((await orgs(tenant.portalKey)).status).toBe(200);
  });
});

test('a user can have 100 active API keys, and the next one is rejected with the reason', async () => {
  const { account } = await addTenant(server);
  const { apiKeys } = server.app.services;
  const draft = { account, name: 'Key', scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
  const create = () => apiKeys.create(INSTALLATION, { ...draft, organizationId: undefined });
  // The tenant already has two keys.
  for (let i = 2; i < 100; i++) expect((await create()).ok).toBe(true);
  expect(await create()).toEqual({ ok: false, problem: 'keys-limit' });
  const [oldest] = await apiKeys.list(INSTALLATION, account);
  if (oldest === undefined) throw new Error('no key');
  await apiKeys.revoke(INSTALLATION, oldest.id);
  expect((await create()).ok).toBe(true);
});
