import { describe, expect, test } from 'bun:test';
import { DAY, type Instant, later, MINUTE, SECOND } from '../../src/lib/time.ts';
import {
  ACCOUNT_RULE,
  type Account,
  type AccountId,
  ADDRESS_RULE,
  ATTEMPTS_EXPIRE_AFTER,
  CODE_RULE,
  delayAfter,
  isEnrollmentOf,
  PAIR_RULE,
  parsePassword,
  type TwoFactorSecret,
} from '../../src/model/account.ts';
import { isWithinLimits, keyActor } from '../../src/model/actor.ts';
import { type ApiKeyId, EXPIRY_WARNING_DAYS, ownerOf } from '../../src/model/apiKey.ts';
import { describeChange, SOURCE_NAMES, toAuditSource } from '../../src/model/audit.ts';
import { INVITATION_LIFETIME, type OrganizationId } from '../../src/model/organization.ts';
import { parseSitekey, type Sitekey, toAuditedActions } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { type Session, type SessionId, sessionActor } from '../../src/model/session.ts';
import { BACKUP_MAX_AGE } from '../../src/model/system.ts';

const NOW = Date.UTC(2026, 0, 31) as Instant;
const [USER, KEY, SHOP, BLOG] = [1 as AccountId, 2 as ApiKeyId, 3 as OrganizationId, 4 as OrganizationId];

describe('an enrollment of an authenticator app', () => {
  const secret: TwoFactorSecret = {
    sealed: new Uint8Array(),
    isConfirmed: false,
    sessionId: 7 as SessionId,
    createdAt: NOW,
  };
  const own = { id: 7 as SessionId };

  test('is open for its session for 15 minutes, until it is confirmed', () => {
    expect(isEnrollmentOf(own, secret, NOW)).toBe(true);
    expect(isEnrollmentOf(own, secret, later(NOW, 15 * MINUTE - 1))).toBe(true);
    expect(isEnrollmentOf(own, secret, later(NOW, 15 * MINUTE))).toBe(false);
    expect(isEnrollmentOf({ id: 8 as SessionId }, secret, NOW)).toBe(false);
    expect(isEnrollmentOf(own, { ...secret, isConfirmed: true }, NOW)).toBe(false);
  });
});

describe('failed attempts', () => {
  const RULES = [PAIR_RULE, ADDRESS_RULE, ACCOUNT_RULE, CODE_RULE];

  test('of each rule are counted separately', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(4);
    for (const { name } of RULES) expect(name).not.toBe('');
  });

  test.each([
    ['of one account from one address', PAIR_RULE, 4, 15 * MINUTE],
    ['from one address', ADDRESS_RULE, 20, 15 * MINUTE],
    ['of one account', ACCOUNT_RULE, 20, 30 * SECOND],
    ['with codes', CODE_RULE, 4, 15 * MINUTE],
  ])('%s delay the next one after some that are free, for longer each time', (_, rule, free, longest) => {
    expect(delayAfter(free, rule)).toBe(0);
    expect(delayAfter(free + 1, rule)).toBe(SECOND);
    expect(delayAfter(free + 2, rule)).toBe(2 * SECOND);
    expect(delayAfter(1000, rule)).toBe(longest);
    expect(longest).toBeLessThan(ATTEMPTS_EXPIRE_AFTER);
  });
});

test('a password of many combining marks is too long', () => {
  expect(parsePassword('e\u0301'.repeat(5000))).toEqual({ ok: false, problem: 'password-too-long' });
});

describe('the actor of an API key', () => {
  test('is its user, without the rights of an administrator', () => {
    expect(keyActor({ accountId: USER, keyId: KEY, organizationId: SHOP }, '192.0.2.1')).toEqual({
      source: 'api-key',
      user: USER,
      isAdmin: false,
      address: '192.0.2.1',
      limits: { keyId: KEY, organizationId: SHOP },
    });
  });

  test('is the organization that owns it', () => {
    expect(keyActor({ accountId: undefined, keyId: KEY, organizationId: SHOP }, undefined)).toEqual({
      source: 'organization-key',
      isAdmin: false,
      address: undefined,
      limits: { keyId: KEY, organizationId: SHOP },
    });
    expect(() => keyActor({ accountId: undefined, organizationId: undefined }, undefined)).toThrow(TypeError);
  });

  test('can access only the organization of the key, if it has one', () => {
    const limited = keyActor({ accountId: USER, organizationId: SHOP }, undefined);
    const unlimited = keyActor({ accountId: USER, organizationId: undefined }, undefined);
    expect([SHOP, BLOG].map((id) => isWithinLimits(limited, id))).toEqual([true, false]);
    expect([SHOP, BLOG].map((id) => isWithinLimits(unlimited, id))).toEqual([true, true]);
  });

  test('is recorded as an API key with each type of owner', () => {
    for (const accountId of [USER, undefined])
      expect(toAuditSource(keyActor({ accountId, organizationId: SHOP }, undefined))).toBe('api-key');
    // They are in the database and in exports.
    expect(SOURCE_NAMES).toEqual({ portal: 'portal', 'api-key': 'api', 'command-line': 'command' });
  });
});

test.each([
  [true, SHOP, { organizationId: SHOP }],
  [false, SHOP, { accountId: USER }],
  [false, undefined, { accountId: USER }],
  [true, undefined, { accountId: USER }],
])('the owner of a key (of its organization: %p, %p) is %j', (isOrganizationOwned, organizationId, owner) => {
  expect(ownerOf({ accountId: USER, organizationId, isOrganizationOwned })).toEqual(owner);
});

test('an email is due two weeks, a week, and a day before a key expires; invitations are valid for a week, and a backup is recent for a week', () => {
  expect(EXPIRY_WARNING_DAYS).toEqual([14, 7, 1]);
  expect([INVITATION_LIFETIME, BACKUP_MAX_AGE]).toEqual([7 * DAY, 7 * DAY]);
});

test('the actor of a session is its user, with the address of the request', () => {
  const account = { id: USER, isAdmin: true } as Account;
  const session = { id: 7 } as Session;
  const clientInfo = { address: '192.0.2.1', browser: '' };
  expect(sessionActor({ account, session }, clientInfo)).toEqual({
    source: 'portal',
    user: USER,
    isAdmin: true,
    address: '192.0.2.1',
    limits: {},
    account,
    session,
    clientInfo,
  });
});

test('a change lists the fields that differ, with `none` for a missing value', () => {
  const before = { level: 128, name: 'Shop', rate: undefined, secret: 1 };
  const after = { level: 144, name: 'Store', rate: 2.5, secret: 2 };
  const names = { level: 'level', name: 'name', rate: 'rate' } as const;
  const changeOf = describeChange<{ rate: number | undefined }>;
  expect(changeOf(before, after, names)).toBe('level 128 -> 144, name "Shop" -> "Store", rate none -> 2.5');
  expect(changeOf(after, { ...after, rate: undefined }, names)).toBe('rate 2.5 -> none');
  expect(changeOf(after, after, names)).toBe('');
});

describe('actions on a property', () => {
  const sitekey = '0123456789abcdef'.repeat(2);
  const parsed = parseSitekey(sitekey);
  const property = { ...DEFAULT_SETTINGS, organizationId: SHOP, name: 'Blog', domain: 'a.example' };
  const actions = (skipsDnsCheck = false) =>
    parsed.ok &&
    toAuditedActions({ ...property, sitekey: parsed.value }, ['property-created'], { skipsDnsCheck });
  const created = { action: 'property-created', organizationId: SHOP, object: `Blog (${sitekey})` };

  test('are recorded with its name and its sitekey', () => {
    expect(actions()).toEqual([created] as never);
    expect(actions(false)).toEqual([created] as never);
  });

  test('list the changed fields only for an update', () => {
    const audited = { ...property, sitekey: sitekey as Sitekey };
    const object = `Blog (${sitekey})`;
    const objects = (before: Partial<typeof audited>) =>
      toAuditedActions(audited, ['property-updated', 'property-disabled'], {
        before: { ...audited, ...before },
      }).map((entry) => entry.object);
    expect(objects({ isEnabled: false })).toEqual([object, object]);
    expect(objects({ level: 90, domain: 'b.example' })).toEqual([
      `${object}: domain "b.example" -> "a.example", level 90 -> ${property.level}`,
      object,
    ]);
    expect(toAuditedActions(audited, ['property-updated'])).toEqual([
      { action: 'property-updated', organizationId: SHOP, object },
    ]);
  });

  test('are followed by another entry if the domain was not looked up', () => {
    const skipped = {
      action: 'dns-check-skipped',
      organizationId: SHOP,
      object: `a.example of Blog (${sitekey})`,
    };
    expect(actions(true)).toEqual([created, skipped] as never);
  });

  test('begin with settings that allow neither subdomains nor localhost', () => {
    expect(DEFAULT_SETTINGS).toMatchObject({
      allowsSubdomains: false,
      allowsLocalhost: false,
      isEnabled: true,
    });
  });
});
