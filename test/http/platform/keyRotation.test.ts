import { describe, expect, test } from 'bun:test';
import { HOUR, later, SECOND } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { api } from '../../support/platform.ts';
import { addKey, expectOk } from '../../support/server.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { verify } from '../../support/visitor.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const services = () => server.app.services;

type Rotated = {
  readonly id: string;
  readonly name: string;
  readonly scope: string;
  readonly secret: string;
  readonly expires_at: string | null;
  readonly old_secret_works_until: string | null;
};

const newKey = (scope: 'portal' | 'verify' = 'portal', more: Parameters<typeof addKey>[3] = {}) =>
  addKey(services(), tenant.account, scope, more);

async function rotate(secret: string, body?: unknown) {
  return api(server, secret).ask<Rotated>('POST', '/apikey/rotate', body);
}

/** The statuses of a request with each secret. */
async function statuses(...secrets: readonly string[]): Promise<readonly number[]> {
  return Promise.all(secrets.map(async (secret) => (await api(server, secret).get('/orgs')).status));
}

describe('POST /apikey/rotate', () => {
  test('returns a new secret; the old one works for 24 hours, and not at the end of that time', async () => {
    const old = await newKey();
    const { status, data, headers } = await rotate(old);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const until = later(server.clock.now, 24 * HOUR);
    expect(data).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      name: expect.any(String),
      scope: 'portal',
      secret: expect.stringMatching(/^postern_portal_[0-9A-Za-z]{49}$/),
      expires_at: null,
      old_secret_works_until: new Date(until).toISOString(),
    });
    server.clock.now = later(until, -1);
    expect(await statuses(old, data.secret)).toEqual([200, 200]);
    server.clock.now = until;
    expect(await statuses(old, data.secret)).toEqual([401, 200]);
  });

  test.each([
    [0, 0],
    [3600, 3600],
    [604_800, 604_800],
  ])('keeps the old secret for %d seconds', async (keep_old_seconds, seconds) => {
    const old = await newKey();
    const { data } = await rotate(old, { keep_old_seconds });
    if (seconds === 0) expect(data.old_secret_works_until).toBeNull();
    expect(await statuses(old, data.secret)).toEqual([seconds === 0 ? 401 : 200, 200]);
    server.clock.now = later(server.clock.now, seconds * SECOND);
    expect(await statuses(old, data.secret)).toEqual([401, 200]);
  });

  test('rotates keys for verification, whose two secrets then verify on both paths', async () => {
    const old = await newKey('verify');
    const { data } = await rotate(old, {});
    expect(data.scope).toBe('verify');
    for (const secret of [old, data.secret]) {
      expect(await verify(server.url, secret, 'x')).toMatchObject({ status: 400 });
      const body = new URLSearchParams({ secret, response: 'x' });
      const reply = await fetch(`${server.url}/siteverify`, { method: 'POST', body });
      expect(await reply.text()).not.toContain('invalid-input-secret');
      expect(await api(server, secret).get('/orgs')).toMatchObject({ status: 403 });
    }
  });

  test('does not accept an old secret, which could otherwise outlive its time', async () => {
    const old = await newKey();
    const { data } = await rotate(old);
    expect(await rotate(old)).toMatchObject({ status: 403, data: null });
    expect(await api(server, old).ask('DELETE', '/apikey/old-secret')).toMatchObject({ status: 403 });
    expect(await statuses(old, data.secret)).toEqual([200, 200]);
  });

  test('ends the secret before the old one, and keeps only one old secret', async () => {
    const first = await newKey();
    const second = (await rotate(first)).data.secret;
    const third = (await rotate(second)).data.secret;
    expect(await statuses(first, second, third)).toEqual([401, 200, 200]);
  });

  test('of two requests at the same time, only one succeeds', async () => {
    const old = await newKey();
    const replies = await Promise.all([rotate(old), rotate(old)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  test('does not change the expiry of the key', async () => {
    const expiresAt = later(server.clock.now, HOUR);
    const { data } = await rotate(await newKey('portal', { expiresAt }), { keep_old_seconds: 604_800 });
    expect(data.expires_at).toBe(new Date(expiresAt).toISOString());
  });

  test('rejects read-only keys, unknown values, and unknown members, and changes nothing', async () => {
    const reader = await newKey('portal', { isReadOnly: true });
    expect(await rotate(reader)).toMatchObject({
      status: 403,
      description: expect.stringContaining('read-only'),
    });
    const key = await newKey();
    for (const body of [
      { keep_old_seconds: 1 },
      { keep_old_seconds: '3600' },
      { keep_old_seconds: null },
      { keep: 0 },
      [],
      '{',
    ]) {
      expect(await rotate(key, body)).toMatchObject({ status: 400, data: null });
    }
    expect(await statuses(key)).toEqual([200]);
    expect(await rotate('x'.repeat(40))).toMatchObject({ status: 401 });
  });

  test('is limited to 10 requests at once for each key', async () => {
    let secret = await newKey();
    for (let count = 0; count < 10; count++) secret = (await rotate(secret)).data.secret;
    const limited = await rotate(secret);
    expect(limited).toMatchObject({ status: 429 });
    expect(limited.headers.get('retry-after')).toBe('10');
    expect((await rotate(await newKey())).status).toBe(200);
    server.clock.now = later(server.clock.now, 10 * SECOND);
    expect((await rotate(secret)).status).toBe(200);
  });

  test('is in the audit log, with the user as the actor', async () => {
    await rotate(await newKey());
    const { entries } = await services().audit.list(INSTALLATION, { actions: ['key-rotated'] }, { limit: 1 });
    expect(entries).toMatchObject([
      {
        actor: tenant.account.email,
        source: 'api-key',
        object: expect.stringContaining('old secret works for 24h'),
      },
    ]);
  });
});

describe('DELETE /apikey/old-secret', () => {
  test('ends the old secret, once', async () => {
    const old = await newKey();
    const { secret } = (await rotate(old)).data;
    const end = () => api(server, secret).ask('DELETE', '/apikey/old-secret');
    expect(await end()).toMatchObject({ status: 200, data: null });
    expect(await statuses(old, secret)).toEqual([401, 200]);
    expect(await end()).toMatchObject({ status: 409 });
  });
});

test('the last use of an old secret is stored', async () => {
  const old = await newKey();
  const { data } = await rotate(old);
  await statuses(data.secret);
  const id = services().ids.open('api-key', data.id);
  const oldSecret = async () => {
    while (await services().keyUses.flush());
    return id && (await services().stores.apiKeys.byId(id))?.oldSecret;
  };
  expect(await oldSecret()).toMatchObject({ lastUsedAt: undefined });
  await statuses(old);
  expect(await oldSecret()).toMatchObject({ lastUsedAt: server.clock.now - (server.clock.now % 60_000) });
});

test('a rotated or revoked secret of the configuration does not come back at the next start', async () => {
  const chosen = `configured-${'k'.repeat(32)}`;
  const draft = { account: tenant.account, name: 'Configured', scope: 'verify' } as const;
  const more = { organizationId: undefined, isReadOnly: false, expiresAt: undefined, chosen };
  const create = () => services().apiKeys.create(INSTALLATION, { ...draft, ...more });
  const { key } = expectOk(await create());
  expect(key.hint).toEqual({ prefix: '', lastFour: 'kkkk' });
  for (let count = 0; count < 3; count++) {
    expectOk(await services().apiKeys.rotate(INSTALLATION, key.id, '0'));
    expect(await create()).toEqual({ ok: false, problem: 'key-taken' });
  }
  expect(await verify(server.url, chosen, 'x')).toMatchObject({ status: 401 });
});
