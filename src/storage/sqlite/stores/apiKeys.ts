import { and, asc, count, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { done, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import type { ApiKeyId } from '../../../model/apiKey.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { ApiKeyStore, KeyChange, PrincipalLookup } from '../../../model/ports/apiKey.ts';
import { type MainDatabase, transact } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { apiKeyOf } from '../rows.ts';
import { apiKeys } from '../schema.ts';
import { createKeyExpiry } from './keyExpiry.ts';

// As a subquery, as in properties.ts: asked for a key that memory does not know.
const IS_ACCOUNT_WELL = sql.raw('(SELECT a.disabled_at FROM accounts a WHERE a.id = account_id) IS NULL');

/** @see ApiKeyStore */
export function createApiKeyStore(database: MainDatabase, change: Change): ApiKeyStore & PrincipalLookup {
  const { orm } = database;
  const membershipOf = createMembership(database);
  const noteUse = database.raw.query<unknown, [number, number, number]>(
    'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  );

  function whyNot(id: ApiKeyId): 'key-unknown' | 'key-revoked' {
    const row = orm.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, id)).get();
    return row === undefined ? 'key-unknown' : 'key-revoked';
  }

  function rotate(id: ApiKeyId, keyHash: string) {
    const isLive = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
    const isFree = sql`NOT EXISTS (SELECT 1 FROM api_keys WHERE key_hash = ${keyHash})`;
    const row = orm.update(apiKeys).set({ keyHash }).where(and(isLive, isFree)).returning().get();
    if (row !== undefined) return done(apiKeyOf(row));
    const isStillLive = orm.select().from(apiKeys).where(isLive).get() !== undefined;
    return refuse(isStillLive ? 'key-taken' : whyNot(id));
  }

  function update(id: ApiKeyId, { name, ...rates }: KeyChange) {
    const values = {
      ...(name === undefined ? {} : { name }),
      ...('rate' in rates ? { rate: rates.rate ?? null } : {}),
      ...('burst' in rates ? { burst: rates.burst ?? null } : {}),
    };
    const isLive = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
    if (Object.keys(values).length === 0) {
      const row = orm.select().from(apiKeys).where(isLive).get();
      return row === undefined ? refuse(whyNot(id)) : done(apiKeyOf(row));
    }
    const row = orm.update(apiKeys).set(values).where(isLive).returning().get();
    return row === undefined ? refuse(whyNot(id)) : done(apiKeyOf(row));
  }

  const hasHash = eq(apiKeys.keyHash, sql.placeholder('keyHash'));
  const isUsable = and(hasHash, isNull(apiKeys.revokedAt), IS_ACCOUNT_WELL);
  const byKeyHash = orm.select().from(apiKeys).where(isUsable).prepare();

  return {
    ...createKeyExpiry(database),
    create: createInsert(database, change),
    async list(accountId) {
      const isWanted = accountId === undefined ? sql`true` : eq(apiKeys.accountId, accountId);
      return orm.select().from(apiKeys).where(isWanted).orderBy(asc(apiKeys.id)).all().map(apiKeyOf);
    },
    async byId(id) {
      const row = orm.select().from(apiKeys).where(eq(apiKeys.id, id)).get();
      return row && apiKeyOf(row);
    },
    revoke: (id, now, entry) =>
      change(entry, () => {
        const isLive = and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt));
        const row = orm.update(apiKeys).set({ revokedAt: now }).where(isLive).returning().get();
        return row === undefined ? refuse(whyNot(id)) : done(apiKeyOf(row));
      }),
    rotate: (id, keyHash, entry) => change(entry, () => rotate(id, keyHash)),
    change: (id, changes, entry) => change(entry, () => update(id, changes)),
    noteUses: (uses) =>
      transact(database, () => {
        for (const { id, at } of uses) noteUse.run(at, id, at);
      }),
    byKeyHash(keyHash) {
      const row = byKeyHash.get({ keyHash });
      if (row === undefined) return undefined;
      const { id, accountId, scope, organizationId, isReadOnly, expiresAt, rate, burst } = apiKeyOf(row);
      const key = { keyId: id, accountId, scope, organizationId, isReadOnly, expiresAt, rate, burst };
      return { ...key, memberOf: membershipOf(accountId) };
    },
  };
}

function createInsert(database: MainDatabase, change: Change): ApiKeyStore['create'] {
  const { orm } = database;

  function activeKeysOf(accountId: AccountId, now: Instant): number {
    const isActive = and(
      isNull(apiKeys.revokedAt),
      or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
    );
    const isCounted = and(eq(apiKeys.accountId, accountId), isActive);
    return orm.select({ n: count() }).from(apiKeys).where(isCounted).get()?.n ?? 0;
  }

  return (key, limit, now, entry) =>
    change(entry, () => {
      if (activeKeysOf(key.accountId, now) >= limit) return refuse('keys-limit');
      const values = {
        ...key,
        organizationId: key.organizationId ?? null,
        expiresAt: key.expiresAt ?? null,
        rate: key.rate ?? null,
        burst: key.burst ?? null,
        createdAt: now,
      };
      const row = orm.insert(apiKeys).values(values).onConflictDoNothing().returning().get();
      return row === undefined ? refuse('key-taken') : done(apiKeyOf(row));
    });
}

function createMembership({ raw }: MainDatabase) {
  const select = raw.query<{ id: number }, [number, number]>(`
    SELECT id FROM organizations WHERE owner_id = ? AND deleted_at IS NULL
    UNION
    SELECT o.id FROM members m JOIN organizations o ON o.id = m.organization_id
    WHERE m.account_id = ? AND o.deleted_at IS NULL`);
  return (accountId: number): ReadonlySet<OrganizationId> =>
    new Set(select.all(accountId, accountId).map((row) => row.id as OrganizationId));
}
