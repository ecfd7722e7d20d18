import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../../lib/time.ts';
import { type ApiKey, type ApiKeyId, EXPIRY_WARNING_DAYS } from '../../../model/apiKey.ts';
import type { OrganizationId } from '../../../model/organization.ts';
import type { ApiKeyStore, ExpiringKey, PrincipalLookup } from '../../../model/ports/apiKey.ts';
import { toApiKey } from '../../entities.ts';
import type { Database } from '../connect.ts';
import { toRecords } from '../manyRows.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { apiKeys, organizations } from '../schema.ts';
import { type Executor, transact } from '../transact.ts';
import { isAccessibleTo } from './membership.ts';

/** Maximum number of API keys that one call marks for each warning. */
const MARK_SIZE = 100;

const isNotRevoked = isNull(apiKeys.revokedAt);
const IS_ACCOUNT_ENABLED = sql.raw('(SELECT a.disabled_at FROM accounts a WHERE a.id = account_id) IS NULL');

/** @see ApiKeyStore */
export function createApiKeyStore(database: Database, changes: Changes): ApiKeyStore {
  return {
    ...createReads(database),
    ...createWrites(database, changes),
    ...createExpiry(database),
  };
}

function createReads({ orm }: Database): Pick<ApiKeyStore, 'list' | 'byId'> {
  return {
    async list(accountId) {
      const isOwned = accountId === undefined ? undefined : eq(apiKeys.accountId, accountId);
      return (await orm.select().from(apiKeys).where(isOwned).orderBy(asc(apiKeys.id))).map(toApiKey);
    },
    async byId(id) {
      const [row] = await orm.select().from(apiKeys).where(eq(apiKeys.id, id));
      return row && toApiKey(row);
    },
  };
}

/** Reads the key and its organizations in one query, because each round trip to the database can be slow. @see PrincipalLookup */
export function createPrincipalLookup({ orm }: Database): PrincipalLookup {
  const accessible = orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(isAccessibleTo(sql.raw('api_keys.account_id')));
  const memberOf = sql<
    readonly OrganizationId[]
  >`(SELECT coalesce(json_agg(id), '[]') FROM ${accessible} AS accessible)`;
  const hasHash = eq(apiKeys.keyHash, sql.placeholder('keyHash'));
  const select = orm
    .select({ key: apiKeys, memberOf })
    .from(apiKeys)
    .where(and(hasHash, isNotRevoked, IS_ACCOUNT_ENABLED))
    .prepare('');
  return {
    async byKeyHash(keyHash) {
      const [row] = await select.execute({ keyHash });
      if (row === undefined) return undefined;
      const { id, accountId, scope, organizationId, isReadOnly, expiresAt, rate, burst } = toApiKey(row.key);
      const key = { keyId: id, accountId, scope, organizationId, isReadOnly, expiresAt, rate, burst };
      return { ...key, memberOf: new Set(row.memberOf) };
    },
  };
}

type Changed = Outcome<ApiKey, 'key-unknown' | 'key-revoked'>;

/** Changes a key unless it is revoked. */
async function update(
  tx: Executor,
  id: ApiKeyId,
  values: PgUpdateSetSource<typeof apiKeys>,
): Promise<Changed> {
  const isChangeable = and(eq(apiKeys.id, id), isNotRevoked);
  const [row] = await tx.update(apiKeys).set(values).where(isChangeable).returning();
  if (row !== undefined) return done(toApiKey(row));
  return reject((await hasRow(tx, apiKeys, eq(apiKeys.id, id))) ? 'key-revoked' : 'key-unknown');
}

type Writes = Pick<ApiKeyStore, 'create' | 'revoke' | 'rotate' | 'change' | 'recordUses'>;

function createWrites({ orm }: Database, { invalidate }: Changes): Writes {
  return {
    create: (key, limit, now, entry) =>
      invalidate(entry, async (tx) => {
        const isNotExpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
        const isActive = and(eq(apiKeys.accountId, key.accountId), isNotRevoked, isNotExpired);
        if ((await countRows(tx, apiKeys, isActive)) >= limit) return reject('keys-limit');
        const values = { ...key, createdAt: now };
        const [row] = await tx.insert(apiKeys).values(values).onConflictDoNothing().returning();
        return row === undefined ? reject('key-taken') : done(toApiKey(row));
      }),
    revoke: (id, now, entry) => invalidate(entry, (tx) => update(tx, id, { revokedAt: now })),
    rotate: (id, keyHash, entry) =>
      invalidate(entry, async (tx): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-taken'>> => {
        const isLive = await hasRow(tx, apiKeys, and(eq(apiKeys.id, id), isNotRevoked));
        const isTaken = await hasRow(tx, apiKeys, eq(apiKeys.keyHash, keyHash));
        return isLive && isTaken ? reject('key-taken') : update(tx, id, { keyHash });
      }),
    change: (id, { name, ...rates }, entry) =>
      invalidate(entry, (tx) =>
        update(tx, id, {
          // Drizzle rejects a change without columns.
          name: name ?? sql`${apiKeys.name}`,
          ...('rate' in rates ? { rate: rates.rate ?? null } : {}),
          ...('burst' in rates ? { burst: rates.burst ?? null } : {}),
        }),
      ),
    recordUses: (uses) => recordUses(orm, uses),
  };
}

/** Locks the rows in the order of their ids to prevent deadlocks, because nodes record uses of the same keys at the same time. */
async function recordUses(orm: Executor, uses: Parameters<ApiKeyStore['recordUses']>[0]): Promise<void> {
  if (uses.length === 0) return;
  const { id, lastUsedAt } = apiKeys;
  const rows = uses.map((use) => ({ id: use.id, lastUsedAt: use.at }));
  await orm.execute(sql`
    WITH used AS (SELECT id, max(last_used_at) AS at FROM ${toRecords(Object.entries({ id, lastUsedAt }), rows)} GROUP BY id),
    changed AS (
      SELECT k.id, used.at FROM ${apiKeys} AS k JOIN used ON used.id = k.id
      WHERE k.last_used_at IS NULL OR k.last_used_at < used.at ORDER BY k.id FOR NO KEY UPDATE OF k
    )
    UPDATE ${apiKeys} AS k SET last_used_at = changed.at FROM changed WHERE k.id = changed.id`);
}

function createExpiry(database: Database): Pick<ApiKeyStore, 'expiring' | 'markExpiring'> {
  return {
    async expiring(accountId, from, to) {
      const isWanted = and(eq(apiKeys.accountId, accountId), expiresBetween(from, to));
      const rows = database.orm.select().from(apiKeys).where(isWanted);
      return (await rows.orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id))).map(toApiKey);
    },
    markExpiring: (now) =>
      transact(database, async (tx) => {
        const marked: ExpiringKey[] = [];
        for (const [i, days] of EXPIRY_WARNING_DAYS.entries()) {
          marked.push(...(await mark(tx, days, EXPIRY_WARNING_DAYS[i + 1] ?? 0, now)));
        }
        return marked;
      }),
  };
}

/** Marks a batch of keys that expire within `days`, but not within `nextDays`, the days of the next warning. */
async function mark(
  tx: Executor,
  days: number,
  nextDays: number,
  now: Instant,
): Promise<readonly ExpiringKey[]> {
  const isUnmarked = or(isNull(apiKeys.expiryWarnedDays), gt(apiKeys.expiryWarnedDays, days));
  const isDue = expiresBetween(later(now, nextDays * DAY), later(now, days * DAY));
  const some = tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(isDue, isUnmarked, IS_ACCOUNT_ENABLED))
    .limit(MARK_SIZE);
  const marked = tx.update(apiKeys).set({ expiryWarnedDays: days }).where(inArray(apiKeys.id, some));
  return (await marked.returning()).map((row) => ({ key: toApiKey(row), days }));
}

/** Matches keys that are not revoked and expire after `from`, but not after `to`. */
function expiresBetween(from: Instant, to: Instant): SQL | undefined {
  return and(isNotRevoked, gt(apiKeys.expiresAt, from), lte(apiKeys.expiresAt, to));
}
