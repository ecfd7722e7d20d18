import { describe, expect, test } from 'bun:test';
import { verify as verifyPassword } from '@node-rs/argon2';
import { DAY, type Instant, later } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { ApiKeyId } from '../../src/model/apiKey.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import type { ApiKeyDraft } from '../../src/platform/apiKeys/apiKeys.ts';
import { sha256Hex } from '../../src/server/crypto.ts';
import { expectOk } from '../support/server.ts';
import { type BackOffice, openBackOffice } from './testServices.ts';

const anna = { email: 'Anna@Example.com', name: 'Anna', isAdmin: false, password: undefined };
const unknown = 999 as OrganizationId;

async function addOwner(services: BackOffice) {
  const account = expectOk(await services.accounts.create(INSTALLATION, anna));
  return {
    account,
    organization: expectOk(
      await services.organizations.create(INSTALLATION, { name: 'Shop', ownerId: account.id }),
    ),
  };
}

function passwordHashes({ raw }: BackOffice): (string | null)[] {
  return raw
    .query<{ hash: string | null }, []>('SELECT password_hash AS hash FROM accounts')
    .all()
    .map(({ hash }) => hash);
}

describe('accounts', () => {
  test('are stored with the email address in lower case, and found in any case', async () => {
    const services = openBackOffice();
    const created = expectOk(await services.accounts.create(INSTALLATION, anna));
    expect(created).toMatchObject({ email: 'anna@example.com', name: 'Anna', createdAt: services.time.now });
    expect(await services.accounts.byEmail(INSTALLATION, ' ANNA@example.COM')).toEqual({
      ok: true,
      value: created,
    });
    expect(await services.accounts.create(INSTALLATION, { ...anna, email: 'anna@EXAMPLE.com' })).toEqual({
      ok: false,
      problem: 'email-taken',
    });
  });

  test('have the email address as the name if no name is given', async () => {
    const { accounts } = openBackOffice();
    expect(await accounts.create(INSTALLATION, { ...anna, name: undefined })).toMatchObject({
      value: { name: 'anna@example.com' },
    });
  });

  test.each([
    [{ email: 'anna' }, 'email-malformed'],
    [{ name: 'A\nB' }, 'account-name-malformed'],
    [{ password: 'short' }, 'password-too-short'],
    [{ password: 'x'.repeat(257) }, 'password-too-long'],
  ])('are rejected with %o', async (change, problem) => {
    const { accounts } = openBackOffice();
    expect(await accounts.create(INSTALLATION, { ...anna, ...change })).toEqual({
      ok: false,
      problem,
    } as never);
    expect(await accounts.list(INSTALLATION)).toEqual([]);
  });

  test('have only the argon2id hash of the password stored, with the parameters that OWASP recommends', async () => {
    const services = openBackOffice();
    expectOk(await services.accounts.create(INSTALLATION, { ...anna, password: 'correct horse' }));
    const [first] = passwordHashes(services);
    expect(first).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(await verifyPassword(first ?? '', 'correct horse')).toBe(true);
    expectOk(await services.accounts.setPassword(INSTALLATION, 'anna@example.com', 'battery staple'));
    const [second] = passwordHashes(services);
    expect(await verifyPassword(second ?? '', 'battery staple')).toBe(true);
    expect(await verifyPassword(second ?? '', 'correct horse')).toBe(false);
  });

  test('reject an empty password, and a password for an unknown user', async () => {
    const { accounts } = openBackOffice();
    expectOk(await accounts.create(INSTALLATION, anna));
    expect(await accounts.setPassword(INSTALLATION, anna.email, '')).toEqual({
      ok: false,
      problem: 'password-too-short',
    });
    expect(await accounts.setPassword(INSTALLATION, 'bob@example.com', 'battery staple')).toEqual({
      ok: false,
      problem: 'account-unknown',
    });
  });
});

describe('organizations', () => {
  test('have valid names, unique for their owner', async () => {
    const services = openBackOffice();
    const { account } = await addOwner(services);
    expect(
      await services.organizations.create(INSTALLATION, { name: ' Laden ', ownerId: account.id }),
    ).toMatchObject({
      value: { name: 'Laden' },
    });
    expect(await services.organizations.create(INSTALLATION, { name: '<b>', ownerId: account.id })).toEqual({
      ok: false,
      problem: 'organization-name-malformed',
    });
    expect(await services.organizations.create(INSTALLATION, { name: 'SHOP', ownerId: account.id })).toEqual({
      ok: false,
      problem: 'organization-name-taken',
    });
  });

  test('can add and remove members, but not the owner', async () => {
    const services = openBackOffice();
    const { accounts, organizations, members } = services;
    const { account, organization } = await addOwner(services);
    const bob = expectOk(await accounts.create(INSTALLATION, { ...anna, email: 'bob@example.com' }));
    const rejectedOwner = { ok: false, problem: 'member-is-owner' } as const;
    expect(await members.add(INSTALLATION, organization.id, account)).toEqual(rejectedOwner);
    expect(await members.remove(INSTALLATION, organization.id, account.id)).toEqual(rejectedOwner);
    expect(await members.remove(INSTALLATION, organization.id, bob.id)).toEqual({
      ok: false,
      problem: 'member-unknown',
    });
    expect(await members.add(INSTALLATION, organization.id, bob)).toMatchObject({ ok: true });
    expect(await organizations.list(INSTALLATION, bob)).toEqual([
      { ...organization, ownerEmail: account.email },
    ]);
    expect(await members.remove(INSTALLATION, organization.id, bob.id)).toMatchObject({ ok: true });
    expect(await organizations.list(INSTALLATION, bob)).toEqual([]);
    expect(await members.add(INSTALLATION, unknown, bob)).toEqual({
      ok: false,
      problem: 'organization-unknown',
    });
  });
});

describe('properties', () => {
  test('get default settings, a domain in ASCII, and a unique sitekey', async () => {
    const services = openBackOffice();
    const { organization } = await addOwner(services);
    const draft = { organizationId: organization.id, name: ' Laden ', domain: 'MÜNCHEN.de.' };
    const created = expectOk(await services.properties.create(INSTALLATION, draft));
    expect(created).toMatchObject({
      ...DEFAULT_SETTINGS,
      name: 'Laden',
      domain: 'xn--mnchen-3ya.de',
      isEnabled: true,
    });
    const other = expectOk(await services.properties.create(INSTALLATION, { ...draft, name: 'Other' }));
    expect(created.sitekey).toMatch(/^[0-9a-f]{32}$/);
    expect(other.sitekey).not.toBe(created.sitekey);
  });

  test.each([
    [{ name: '' }, 'property-name-empty'],
    [{ domain: 'localhost' }, 'domain-localhost'],
    [{ domain: '127.0.0.1' }, 'domain-is-address'],
    [{ level: 0 }, 'level-malformed'],
    [{ level: 256 }, 'level-malformed'],
    [{ validitySeconds: 59 }, 'validity-malformed'],
    [{ allowance: 1_000_001 }, 'allowance-malformed'],
    [{ organizationId: unknown }, 'organization-unknown'],
    // The first problem is returned.
    [{ name: '', domain: '', level: 0 }, 'property-name-empty'],
    [{ domain: '', level: 0, organizationId: unknown }, 'domain-empty'],
  ])('are rejected with %o', async (change, problem) => {
    const services = openBackOffice();
    const { organization } = await addOwner(services);
    const draft = { organizationId: organization.id, name: 'Site', domain: 'example.com', ...change };
    expect(await services.properties.create(INSTALLATION, draft)).toEqual({ ok: false, problem } as never);
    expect(await services.stores.properties.list()).toEqual([]);
  });
});

describe('API keys', () => {
  async function open() {
    const services = openBackOffice();
    const { account, organization } = await addOwner(services);
    const rest = { organizationId: undefined, isReadOnly: false, expiresAt: undefined };
    const draft: ApiKeyDraft = { account, name: 'Key', scope: 'verify', ...rest };
    return { ...services, account, organization, draft };
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
    const { apiKeys, accounts, members, draft, organization } = await open();
    const bob = expectOk(await accounts.create(INSTALLATION, { ...anna, email: 'bob@example.com' }));
    const his = { ...draft, account: bob, organizationId: organization.id };
    expect(await apiKeys.create(INSTALLATION, his)).toEqual({ ok: false, problem: 'organization-not-yours' });
    expect(await apiKeys.create(INSTALLATION, { ...his, organizationId: unknown })).toEqual({
      ok: false,
      problem: 'organization-unknown',
    });
    await members.add(INSTALLATION, organization.id, bob);
    expect(await apiKeys.create(INSTALLATION, his)).toMatchObject({
      ok: true,
      value: { key: { organizationId: organization.id } },
    });
  });

  test('get another secret of the same scope when they are rotated, and stop working when they are revoked', async () => {
    const { apiKeys, keyStore, draft } = await open();
    const { key, secret } = expectOk(await apiKeys.create(INSTALLATION, { ...draft, scope: 'portal' }));
    const rotated = expectOk(await apiKeys.rotate(INSTALLATION, key.id));
    expect(rotated.key).toEqual(key);
    expect(rotated.secret).toStartWith('postern_portal_');
    expect(await keyStore.byKeyHash(sha256Hex(secret))).toBeUndefined();
    expectOk(await apiKeys.revoke(INSTALLATION, key.id));
    expect(await keyStore.byKeyHash(sha256Hex(rotated.secret))).toBeUndefined();
    expect(await apiKeys.rotate(INSTALLATION, key.id)).toEqual({ ok: false, problem: 'key-revoked' });
    expect(await apiKeys.rotate(INSTALLATION, 999 as ApiKeyId)).toEqual({
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
