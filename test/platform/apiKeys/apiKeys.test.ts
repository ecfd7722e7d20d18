import { describe, expect, test } from 'bun:test';
import { DAY, type Instant, later } from '../../../src/lib/time.ts';
import type { Account } from '../../../src/model/account.ts';
import { INSTALLATION, portalActor } from '../../../src/model/actor.ts';
import type { ApiKeyId } from '../../../src/model/apiKey.ts';
import type { OrganizationId } from '../../../src/model/organization.ts';
import type { UserKeyDraft } from '../../../src/platform/apiKeys/keyDraft.ts';
import { sha256Hex } from '../../../src/sha256.ts';
import { expectOk } from '../../support/server.ts';
import { addOrganization, addUser, openUseCases, problemOf } from '../useCases.ts';

const unknown = 999 as OrganizationId;

describe('API keys', () => {
  async function open() {
    const services = openUseCases();
    const { account, organization } = await addOrganization(services);
    const rest = { organizationId: undefined, isReadOnly: false, expiresAt: undefined };
    const draft: UserKeyDraft = { account, name: 'Key', scope: 'verify', ...rest };
    return { ...services, services, account, organization, draft };
  }

  test('are returned once, and only their hash is stored', async () => {
    const { apiKeys, keyStore, draft, raw } = await open();
    const { key, secret } = expectOk(await apiKeys.create(INSTALLATION, draft));
    expect(secret).toStartWith('postern_verify_');
    expect(await keyStore.byKeyHash(sha256Hex(secret))).toMatchObject({ keyId: key.id });
    const stored = JSON.stringify(raw.query('SELECT * FROM api_keys').all());
    expect(stored).toContain(sha256Hex(secret));
    expect(stored).not.toContain(secret.slice('postern_verify_'.length));
  });

  test('can be chosen by the operator, and are rejected if they exist', async () => {
    const { apiKeys, draft } = await open();
    const chosen = 'x'.repeat(32);
    expect(await apiKeys.create(INSTALLATION, { ...draft, chosen })).toMatchObject({
      ok: true,
      value: { secret: chosen },
    });
    expect(await apiKeys.create(INSTALLATION, { ...draft, chosen })).toEqual({
      ok: false,
      problem: 'key-taken',
    });
    expect(await apiKeys.create(INSTALLATION, { ...draft, chosen: 'short' })).toEqual({
      ok: false,
      problem: 'key-malformed',
    });
  });

  test('expire in the future', async () => {
    const { apiKeys, draft, time } = await open();
    expect(await apiKeys.create(INSTALLATION, { ...draft, expiresAt: time.now })).toEqual({
      ok: false,
      problem: 'key-expiry-past',
    });
    const expiresAt = later(time.now, 30 * DAY);
    expect(await apiKeys.create(INSTALLATION, { ...draft, expiresAt })).toMatchObject({
      value: { key: { expiresAt } },
    });
  });

  test('can be limited only to organizations of their user', async () => {
    const { services, apiKeys, members, draft, organization } = await open();
    const other = await addUser(services);
    const others = { ...draft, account: other, organizationId: organization.id };
    expect(await apiKeys.create(INSTALLATION, others)).toEqual({
      ok: false,
      problem: 'organization-not-yours',
    });
    expect(await apiKeys.create(INSTALLATION, { ...others, organizationId: unknown })).toEqual({
      ok: false,
      problem: 'organization-unknown',
    });
    await members.add(INSTALLATION, organization.id, other);
    expect(await apiKeys.create(INSTALLATION, others)).toMatchObject({
      ok: true,
      value: { key: { organizationId: organization.id } },
    });
  });

  test('get another secret of the same scope when they are rotated, and stop working when they are revoked', async () => {
    const { apiKeys, keyStore, draft } = await open();
    const { key, secret } = expectOk(await apiKeys.create(INSTALLATION, { ...draft, scope: 'portal' }));
    const rotated = expectOk(await apiKeys.rotate(INSTALLATION, key.id, '0'));
    const unchanged = { id: key.id, name: key.name, scope: key.scope, expiresAt: key.expiresAt };
    expect(rotated.key).toMatchObject(unchanged);
    expect(rotated.secret).toStartWith('postern_portal_');
    expect(await keyStore.byKeyHash(sha256Hex(secret))).toBeUndefined();
    expectOk(await apiKeys.revoke(INSTALLATION, key.id));
    expect(await keyStore.byKeyHash(sha256Hex(rotated.secret))).toBeUndefined();
    expect(await apiKeys.rotate(INSTALLATION, key.id, '0')).toEqual({ ok: false, problem: 'key-revoked' });
    expect(await apiKeys.rotate(INSTALLATION, 999 as ApiKeyId, '0')).toEqual({
      ok: false,
      problem: 'key-unknown',
    });
  });

  test('have valid names', async () => {
    const { apiKeys, draft, time } = await open();
    const rejected = await apiKeys.create(INSTALLATION, {
      ...draft,
      name: ' ',
      expiresAt: (time.now - 1) as Instant,
    });
    expect(rejected).toEqual({ ok: false, problem: 'key-name-empty' });
  });
});

describe('the user of an API key', () => {
  const as = (account: Account) => portalActor(account, undefined);

  async function openKeys() {
    const services = openUseCases();
    const [owner, other] = [await addUser(services), await addUser(services)];
    const draft = {
      account: owner,
      name: 'Key',
      scope: 'verify',
      organizationId: undefined,
      isReadOnly: false,
      expiresAt: undefined,
    } as const;
    const { key } = expectOk(await services.apiKeys.create(as(owner), draft));
    return { services, owner, other, draft, key };
  }

  test('can read and change it; for other users, it is unknown', async () => {
    const { services, owner, other, key } = await openKeys();
    const { apiKeys } = services;
    expect(await apiKeys.list(as(other))).toEqual([]);
    expect(await apiKeys.list(as(other), owner)).toEqual([]);
    expect(await apiKeys.list(as(owner))).toEqual([key]);
    const change = { name: 'Stolen' };
    for (const [user, id] of [
      [other, key.id],
      [owner, 999 as ApiKeyId],
    ] as const) {
      for (const outcome of [
        await apiKeys.revoke(as(user), id),
        await apiKeys.rotate(as(user), id, '0'),
        await apiKeys.change(as(user), id, change),
      ]) {
        expect(outcome).toEqual({ ok: false, problem: 'key-unknown' });
      }
    }
    expect(await apiKeys.list(as(owner))).toEqual([key]);
    expect(problemOf(await apiKeys.rotate(as(owner), key.id, '0'))).toBe('done');
    expect(await apiKeys.change(as(owner), key.id, { name: ' Mine ' })).toMatchObject({
      value: { name: 'Mine' },
    });
    expect(problemOf(await apiKeys.change(as(owner), key.id, { name: '<b>' }))).toBe('key-name-malformed');
    expect(problemOf(await apiKeys.revoke(as(owner), key.id))).toBe('done');
    expect(problemOf(await apiKeys.change(as(owner), key.id, change))).toBe('key-revoked');
  });

  // The configured rate is 1000, the burst 2000.
  test.each([
    [{ rate: 1000, burst: 2000 }, 'done', 'done'],
    [{ rate: 0.001, burst: 1 }, 'done', 'done'],
    [{ rate: 1000.1 }, 'key-rate-too-high', 'done'],
    [{ burst: 2001 }, 'key-rate-too-high', 'done'],
    [{ rate: 0 }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ rate: 1e-306 }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ rate: Number.NaN }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ rate: 1_000_000_001 }, 'key-rate-malformed', 'key-rate-malformed'],
    [{ burst: 1.5 }, 'key-burst-malformed', 'key-burst-malformed'],
  ])('sets %o with the result %s; an administrator with the result %s', async (rates, forUser, forAdmin) => {
    const { services, owner, draft, key } = await openKeys();
    const admin = { ...owner, isAdmin: true };
    const create = async (account: Account) =>
      problemOf(await services.apiKeys.create(as(account), { ...draft, account, ...rates }));
    const change = async (account: Account) =>
      problemOf(await services.apiKeys.change(as(account), key.id, rates));
    expect([await create(owner), await create(admin)]).toEqual([forUser, forAdmin]);
    expect([await change(owner), await change(admin)]).toEqual([forUser, forAdmin]);
  });
});
