import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../../lib/time.ts';
import {
  type ApiKey,
  type ApiKeyId,
  EXPIRY_WARNING_DAYS,
  type KeyOwner,
  ownerOf,
} from '../../../model/apiKey.ts';
import type {
  ApiKeyStore,
  ExpiringKey,
  PrincipalLookup,
  RotationProblem,
} from '../../../model/ports/apiKey.ts';
import { toApiKey, toPrincipal } from '../../entities.ts';
import { type MainDatabase, transact } from '../open.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Change } from '../recordedChange.ts';
import { apiKeys, organizations } from '../schema.ts';
import { createListAccessible } from './membership.ts';

/** Maximum number of API keys that one call marks for each warning. */
const MARK_SIZE = 100;

const isNotRevoked = isNull(apiKeys.revokedAt);
// Subqueries are faster than joins; see properties.ts. They run for every API key that is not in the cache.
const IS_OWNER_ACTIVE = sql.raw(`CASE WHEN is_organization_owned
  THEN EXISTS (SELECT 1 FROM organizations o WHERE o.id = organization_id AND o.deleted_at IS NULL)
  ELSE (SELECT a.disabled_at FROM accounts a WHERE a.id = account_id) IS NULL END`);
// Raw SQL, because SQLite uses a partial index only if the statement contains its condition.
const IS_ORGANIZATION_OWNED = sql.raw('is_organization_owned = 1');
const IS_USER_OWNED = sql.raw('is_organization_owned = 0');

/** Not the case if the secret was ended, even if the clocks of nodes differ. */
const IS_OLD_SECRET_KEPT = gt(apiKeys.previousUntil, apiKeys.rotatedAt);

function isOwnedBy(owner: KeyOwner): SQL | undefined {
  return 'accountId' in owner
    ? and(eq(apiKeys.accountId, owner.accountId), IS_USER_OWNED)
    : and(eq(apiKeys.organizationId, owner.organizationId), IS_ORGANIZATION_OWNED);
}

/** Matches a hash of the current, the previous, or the first secret of a key. */
function hasEverHadHash(keyHash: string): SQL | undefined {
  const columns = [apiKeys.keyHash, apiKeys.previousHash, apiKeys.firstHash];
  return or(...columns.map((column) => eq(column, keyHash)));
}

/** @see ApiKeyStore */
export function createApiKeyStore(database: MainDatabase, change: Change): ApiKeyStore & PrincipalLookup {
  return {
    ...createReads(database),
    ...createChanges(database, change),
    ...createRotation(database, change),
    ...createExpiry(database),
    byKeyHash: createByKeyHash(database),
  };
}

function createReads({ orm }: MainDatabase): Pick<ApiKeyStore, 'list' | 'page' | 'byId'> {
  return {
    async list(owner) {
      const isOwned = owner && isOwnedBy(owner);
      return orm.select().from(apiKeys).where(isOwned).orderBy(asc(apiKeys.id)).all().map(toApiKey);
    },
    async page(owner, { isRevoked, offset, limit }) {
      const isWanted = and(isOwnedBy(owner), isRevoked ? isNotNull(apiKeys.revokedAt) : isNotRevoked);
      const rows = orm.select().from(apiKeys).where(isWanted);
      const sorted = rows.orderBy(desc(apiKeys.revokedAt), desc(apiKeys.id));
      return sorted.limit(limit).offset(offset).all().map(toApiKey);
    },
    async byId(id) {
      const row = orm.select().from(apiKeys).where(eq(apiKeys.id, id)).get();
      return row && toApiKey(row);
    },
  };
}

function createByKeyHash(database: MainDatabase): PrincipalLookup['byKeyHash'] {
  const listAccessible = createListAccessible(database);
  const keyHash = sql.placeholder('keyHash');
  const prepare = (hasSecret: SQL | undefined) =>
    database.orm
      .select()
      .from(apiKeys)
      .where(and(hasSecret, isNotRevoked, IS_OWNER_ACTIVE))
      .prepare();
  const selectCurrent = prepare(eq(apiKeys.keyHash, keyHash));
  const selectOld = prepare(and(eq(apiKeys.previousHash, keyHash), IS_OLD_SECRET_KEPT));
  return (keyHash) => {
    const current = selectCurrent.get({ keyHash });
    const row = current ?? selectOld.get({ keyHash });
    return row && toPrincipal(row, current === undefined, () => listAccessible(row.accountId));
  };
}

type Changed = Outcome<ApiKey, 'key-unknown' | 'key-revoked'>;

/** @returns a function that changes a key that is not revoked */
function createUpdate(database: MainDatabase) {
  return (id: ApiKeyId, values: SQLiteUpdateSetSource<typeof apiKeys>): Changed => {
    const isChangeable = and(eq(apiKeys.id, id), isNotRevoked);
    const row = database.orm.update(apiKeys).set(values).where(isChangeable).returning().get();
    if (row !== undefined) return done(toApiKey(row));
    return reject(hasRow(database, apiKeys, eq(apiKeys.id, id)) ? 'key-revoked' : 'key-unknown');
  };
}

/** The old values of a row, for an update that replaces the secret. */
const REPLACED = {
  previousHash: sql`${apiKeys.keyHash}`,
  previousPrefix: sql`${apiKeys.prefix}`,
  previousLastFour: sql`${apiKeys.lastFour}`,
  previousUsedAt: null,
};

function createRotation(
  database: MainDatabase,
  change: Change,
): Pick<ApiKeyStore, 'rotate' | 'endOldSecret'> {
  const update = createUpdate(database);

  function find(id: ApiKeyId) {
    const isWanted = and(eq(apiKeys.id, id), isNotRevoked);
    return database.orm.select().from(apiKeys).where(isWanted).get();
  }

  return {
    rotate: (id, { keyHash, hint, at, oldWorksUntil, expectedHash }, entry) =>
      change(entry, (): Outcome<ApiKey, RotationProblem> => {
        const known = find(id);
        if (known !== undefined) {
          const isExpected = expectedHash === undefined || known.keyHash === expectedHash;
          if (!isExpected) return reject('key-secret-replaced');
          if (hasRow(database, apiKeys, hasEverHadHash(keyHash))) return reject('key-taken');
        }
        return update(id, { keyHash, ...hint, ...REPLACED, rotatedAt: at, previousUntil: oldWorksUntil });
      }),
    endOldSecret: (id, now, entry) =>
      change(entry, (): Changed | Outcome<ApiKey, 'key-old-secret-ended'> => {
        const known = find(id);
        const isOver = known !== undefined && (known.previousUntil === null || known.previousUntil <= now);
        return isOver
          ? reject('key-old-secret-ended')
          : update(id, { previousUntil: sql`${apiKeys.rotatedAt}` });
      }),
  };
}

type Changes = Pick<ApiKeyStore, 'create' | 'revoke' | 'change' | 'recordUses'>;

function createChanges(database: MainDatabase, change: Change): Changes {
  const { orm } = database;

  const recordUse = database.raw.query<unknown, [Instant, ApiKeyId, Instant]>(
    'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)',
  );
  const recordOldUse = database.raw.query<unknown, [Instant, ApiKeyId, Instant, Instant]>(
    `UPDATE api_keys SET previous_used_at = ?
     WHERE id = ? AND rotated_at = ? AND (previous_used_at IS NULL OR previous_used_at < ?)`,
  );

  const update = createUpdate(database);

  return {
    create: (key, limit, now, entry) =>
      change(entry, () => {
        const isNotExpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
        const isActive = and(isOwnedBy(ownerOf(key)), isNotRevoked, isNotExpired);
        if (countRows(database, apiKeys, isActive) >= limit) return reject('keys-limit');
        if (hasRow(database, apiKeys, hasEverHadHash(key.keyHash))) return reject('key-taken');
        const values = { ...key, ...key.hint, firstHash: key.keyHash, createdAt: now };
        const row = orm.insert(apiKeys).values(values).onConflictDoNothing().returning().get();
        return row === undefined ? reject('key-taken') : done(toApiKey(row));
      }),
    revoke: (id, now, entry) => change(entry, () => update(id, { revokedAt: now })),
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
        for (const { id, at, old } of uses) {
          recordUse.run(at, id, at);
          if (old !== undefined) recordOldUse.run(old.at, id, old.replacedAt, old.at);
        }
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
      .where(and(isDue, isUnmarked, IS_OWNER_ACTIVE))
      .limit(MARK_SIZE);
    const marked = orm.update(apiKeys).set({ expiryWarnedDays: days }).where(inArray(apiKeys.id, some));
    return marked
      .returning()
      .all()
      .map((row) => ({ key: toApiKey(row), days }));
  }

  return {
    async expiring(accountId, from, to) {
      const owned = orm
        .select({ id: organizations.id })
        .from(organizations)
        .where(and(eq(organizations.ownerId, accountId), isNull(organizations.deletedAt)));
      const isOwned = or(
        isOwnedBy({ accountId }),
        and(inArray(apiKeys.organizationId, owned), IS_ORGANIZATION_OWNED),
      );
      const isWanted = and(isOwned, expiresBetween(from, to));
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
