import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../../lib/time.ts';
import { type ApiKey, type ApiKeyId, EXPIRY_WARNING_DAYS } from '../../../model/apiKey.ts';
import type { ApiKeyStore, ExpiringKey, PrincipalLookup } from '../../../model/ports/apiKey.ts';
import { toApiKey } from '../../entities.ts';
import { type MainDatabase, transact } from '../open.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { apiKeys } from '../schema.ts';
import { createListAccessible } from './membership.ts';

/** Maximum number of API keys that one call marks for each warning. */
const MARK_SIZE = 100;

const isNotRevoked = isNull(apiKeys.revokedAt);
// A subquery is faster than a join; see properties.ts. It runs for every API key that is not in the cache.
const IS_ACCOUNT_ENABLED = sql.raw('(SELECT a.disabled_at FROM accounts a WHERE a.id = account_id) IS NULL');

/** @see ApiKeyStore */
export function createApiKeyStore(database: MainDatabase, change: Change): ApiKeyStore & PrincipalLookup {
  return {
    ...createReads(database),
    ...createChanges(database, change),
    ...createExpiry(database),
    byKeyHash: createByKeyHash(database),
  };
}

function createReads({ orm }: MainDatabase): Pick<ApiKeyStore, 'list' | 'byId'> {
  return {
    async list(accountId) {
      const isOwned = accountId === undefined ? undefined : eq(apiKeys.accountId, accountId);
      return orm.select().from(apiKeys).where(isOwned).orderBy(asc(apiKeys.id)).all().map(toApiKey);
    },
    async byId(id) {
      const row = orm.select().from(apiKeys).where(eq(apiKeys.id, id)).get();
      return row && toApiKey(row);
    },
  };
}

function createByKeyHash(database: MainDatabase): PrincipalLookup['byKeyHash'] {
  const listAccessible = createListAccessible(database);
  const hasHash = eq(apiKeys.keyHash, sql.placeholder('keyHash'));
  const select = database.orm
    .select()
    .from(apiKeys)
    .where(and(hasHash, isNotRevoked, IS_ACCOUNT_ENABLED))
    .prepare();
  return (keyHash) => {
    const row = select.get({ keyHash });
    if (row === undefined) return undefined;
    const { id, accountId, scope, organizationId, isReadOnly, expiresAt, rate, burst } = toApiKey(row);
    const key = { keyId: id, accountId, scope, organizationId, isReadOnly, expiresAt, rate, burst };
    return { ...key, memberOf: listAccessible(accountId) };
  };
}

type Changes = Pick<ApiKeyStore, 'create' | 'revoke' | 'rotate' | 'change' | 'recordUses'>;

function createChanges(database: MainDatabase, change: Change): Changes {
  const { orm } = database;

  const recordUse = database.raw.query<unknown, [Instant, ApiKeyId, Instant]>(
    'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  );

  type Changed = Outcome<ApiKey, 'key-unknown' | 'key-revoked'>;

  /** Changes a key that is not revoked. */
  function update(id: ApiKeyId, values: SQLiteUpdateSetSource<typeof apiKeys>): Changed {
    const row = orm
      .update(apiKeys)
      .set(values)
      .where(and(eq(apiKeys.id, id), isNotRevoked))
      .returning()
      .get();
    if (row !== undefined) return done(toApiKey(row));
    return reject(hasRow(database, apiKeys, eq(apiKeys.id, id)) ? 'key-revoked' : 'key-unknown');
  }

  return {
    create: (key, limit, now, entry) =>
      change(entry, () => {
        const isNotExpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
        const isActive = and(eq(apiKeys.accountId, key.accountId), isNotRevoked, isNotExpired);
        if (countRows(database, apiKeys, isActive) >= limit) return reject('keys-limit');
        const values = { ...key, createdAt: now };
        const row = orm.insert(apiKeys).values(values).onConflictDoNothing().returning().get();
        return row === undefined ? reject('key-taken') : done(toApiKey(row));
      }),
    revoke: (id, now, entry) => change(entry, () => update(id, { revokedAt: now })),
    rotate: (id, keyHash, entry) =>
      change(entry, (): Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-taken'> => {
        const isLive = hasRow(database, apiKeys, and(eq(apiKeys.id, id), isNotRevoked));
        const isTaken = hasRow(database, apiKeys, eq(apiKeys.keyHash, keyHash));
        return isLive && isTaken ? reject('key-taken') : update(id, { keyHash });
      }),
    change: (id, { name, ...rates }, entry) =>
      change(entry, () =>
        update(id, {
          // Drizzle rejects a change without columns.
          name: name ?? sql`${apiKeys.name}`,
          ...('rate' in rates ? { rate: rates.rate ?? null } : {}),
          ...('burst' in rates ? { burst: rates.burst ?? null } : {}),
        }),
      ),
    recordUses: (uses) =>
      transact(database, () => {
        for (const { id, at } of uses) recordUse.run(at, id, at);
      }),
  };
}

function createExpiry(database: MainDatabase): Pick<ApiKeyStore, 'expiring' | 'markExpiring'> {
  const { orm } = database;

  /** Marks some keys that expire within `days`, but not within the days of the next warning. */
  function mark(days: number, nextDays: number, now: Instant): readonly ExpiringKey[] {
    const isUnmarked = or(isNull(apiKeys.expiryWarnedDays), gt(apiKeys.expiryWarnedDays, days));
    const isDue = expiresBetween(later(now, nextDays * DAY), later(now, days * DAY));
    const some = orm
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(and(isDue, isUnmarked, IS_ACCOUNT_ENABLED))
      .limit(MARK_SIZE);
    const marked = orm.update(apiKeys).set({ expiryWarnedDays: days }).where(inArray(apiKeys.id, some));
    return marked
      .returning()
      .all()
      .map((row) => ({ key: toApiKey(row), days }));
  }

  return {
    async expiring(accountId, from, to) {
      const isWanted = and(eq(apiKeys.accountId, accountId), expiresBetween(from, to));
      const rows = orm.select().from(apiKeys).where(isWanted);
      return rows.orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id)).all().map(toApiKey);
    },
    markExpiring: (now) =>
      transact(database, () =>
        EXPIRY_WARNING_DAYS.flatMap((days, i, all) => mark(days, all[i + 1] ?? 0, now)),
      ),
  };
}

/** Matches keys that are not revoked and expire after `from`, but not after `to`. */
function expiresBetween(from: Instant, to: Instant): SQL | undefined {
  return and(isNotRevoked, gt(apiKeys.expiresAt, from), lte(apiKeys.expiresAt, to));
}
