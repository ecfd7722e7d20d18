import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core';
import { chain } from '../../lib/awaitable.ts';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { DAY, type Instant, later } from '../../lib/time.ts';
import {
  type ApiKey,
  type ApiKeyId,
  EXPIRY_WARNING_DAYS,
  type KeyOwner,
  ownerOf,
} from '../../model/apiKey.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type {
  ApiKeyStore,
  ExpiringKey,
  KeyOrder,
  PrincipalLookup,
  Rotation,
  RotationProblem,
} from '../../model/ports/apiKey.ts';
import { toApiKey, toPrincipal } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { countRows, hasRow } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { apiKeys, organizations } from '../schema.ts';
import { isAccessibleTo } from './membership.ts';

/** Maximum number of API keys that one call marks for each warning. */
const MARK_SIZE = 100;

const isNotRevoked = isNull(apiKeys.revokedAt);
const IS_OWNER_ACTIVE = sql.raw(`CASE WHEN is_organization_owned
  THEN EXISTS (SELECT 1 FROM organizations o WHERE o.id = organization_id AND o.deleted_at IS NULL)
  ELSE (SELECT a.disabled_at FROM accounts a WHERE a.id = account_id) IS NULL END`);
/** Not the case if the secret was ended, even if the clocks of nodes differ. */
const IS_OLD_SECRET_KEPT = gt(apiKeys.previousUntil, apiKeys.rotatedAt);

const isOrganizationOwned = ({ engine }: Executor) => engine.hasFlag('is_organization_owned', true);

function isOwnedBy(orm: Executor, owner: KeyOwner): SQL | undefined {
  return 'accountId' in owner
    ? and(eq(apiKeys.accountId, owner.accountId), orm.engine.hasFlag('is_organization_owned', false))
    : and(eq(apiKeys.organizationId, owner.organizationId), isOrganizationOwned(orm));
}

/** Matches a hash of the current, the previous, or the first secret of a key. */
function hasEverHadHash(keyHash: string): SQL | undefined {
  const columns = [apiKeys.keyHash, apiKeys.previousHash, apiKeys.firstHash];
  return or(...columns.map((column) => eq(column, keyHash)));
}

/** @see ApiKeyStore */
export function createApiKeyStore(database: StoreDatabase, changes: Changes): ApiKeyStore {
  return {
    ...createReads(database),
    ...createWrites(database, changes),
    ...createRotation(changes),
    ...createExpiry(database),
  };
}

const NAME = sql`lower(${apiKeys.name})`;
const USED = sql`coalesce(${apiKeys.lastUsedAt}, 0)`;
const EXPIRES = sql`coalesce(${apiKeys.expiresAt}, ${Number.MAX_SAFE_INTEGER})`;

/** An owner has few keys, so sorting them needs no index. */
const KEYS_BY: Readonly<Record<KeyOrder, readonly SQL[]>> = {
  created_desc: [desc(apiKeys.id)],
  created_asc: [asc(apiKeys.id)],
  name_asc: [asc(NAME), asc(apiKeys.id)],
  name_desc: [desc(NAME), desc(apiKeys.id)],
  used_desc: [desc(USED), desc(apiKeys.id)],
  used_asc: [asc(USED), asc(apiKeys.id)],
  expires_asc: [asc(EXPIRES), asc(apiKeys.id)],
  expires_desc: [desc(EXPIRES), desc(apiKeys.id)],
};

function createReads({ orm }: StoreDatabase): Pick<ApiKeyStore, 'list' | 'page' | 'byId'> {
  return {
    async page(owner, { isRevoked, order = 'created_desc', offset, limit }) {
      const isWanted = and(isOwnedBy(orm, owner), isRevoked ? isNotNull(apiKeys.revokedAt) : isNotRevoked);
      const rows = orm.select().from(apiKeys).where(isWanted);
      const by = isRevoked ? [desc(apiKeys.revokedAt), desc(apiKeys.id)] : KEYS_BY[order];
      const sorted = rows.orderBy(...by);
      return (await sorted.limit(limit).offset(offset)).map(toApiKey);
    },
    async list(owner) {
      const isOwned = owner && isOwnedBy(orm, owner);
      return (await orm.select().from(apiKeys).where(isOwned).orderBy(asc(apiKeys.id))).map(toApiKey);
    },
    async byId(id) {
      const [row] = await orm.select().from(apiKeys).where(eq(apiKeys.id, id));
      return row && toApiKey(row);
    },
  };
}

/** Reads the key and its organizations in one query, because each round trip to the database can be slow. @see PrincipalLookup */
export function createPrincipalLookup({ orm }: StoreDatabase): PrincipalLookup {
  const accessible = orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(isAccessibleTo(sql.raw('api_keys.account_id')));
  const memberOf = sql`(SELECT ${orm.engine.jsonList(sql`id`)} FROM ${accessible} AS accessible)`.mapWith(
    (json: string): readonly OrganizationId[] => JSON.parse(json),
  );
  const keyHash = sql.placeholder('keyHash');
  const hasHash = or(
    eq(apiKeys.keyHash, keyHash),
    and(eq(apiKeys.previousHash, keyHash), IS_OLD_SECRET_KEPT),
  );
  const select = orm
    .select({ key: apiKeys, memberOf })
    .from(apiKeys)
    .where(and(hasHash, isNotRevoked, IS_OWNER_ACTIVE))
    .prepare('');
  return {
    byKeyHash: (keyHash) =>
      chain(
        orm.engine.lookUp(select, { keyHash }),
        (row) => row && toPrincipal(row.key, row.key.keyHash !== keyHash, () => new Set(row.memberOf)),
      ),
  };
}

type Changed = Outcome<ApiKey, 'key-unknown' | 'key-revoked'>;

/** Changes a key unless it is revoked. */
async function update(tx: Executor, id: ApiKeyId, values: PgUpdateSetSource<typeof apiKeys>) {
  const isChangeable = and(eq(apiKeys.id, id), isNotRevoked);
  const [row] = await tx.update(apiKeys).set(values).where(isChangeable).returning();
  if (row !== undefined) return done(toApiKey(row));
  return reject((await hasRow(tx, apiKeys, eq(apiKeys.id, id))) ? 'key-revoked' : 'key-unknown');
}

/** The old values of a row, for an update that replaces the secret. */
const REPLACED = {
  previousHash: sql`${apiKeys.keyHash}`,
  previousPrefix: sql`${apiKeys.prefix}`,
  previousLastFour: sql`${apiKeys.lastFour}`,
  previousUsedAt: null,
};

function createRotation({ invalidate }: Changes): Pick<ApiKeyStore, 'rotate' | 'endOldSecret'> {
  return {
    rotate: (id, rotation, entry) => invalidate(entry, (tx) => rotate(tx, id, rotation)),
    endOldSecret: (id, now, entry) =>
      invalidate(entry, async (tx): Promise<Changed | Outcome<ApiKey, 'key-old-secret-ended'>> => {
        const known = await lock(tx, id);
        const isOver = known !== undefined && (known.previousUntil === null || known.previousUntil <= now);
        return isOver
          ? reject('key-old-secret-ended')
          : update(tx, id, { previousUntil: sql`${apiKeys.rotatedAt}` });
      }),
  };
}

/** Reads a key that is not revoked, and prevents other transactions from changing it. */
async function lock(tx: Executor, id: ApiKeyId) {
  const isWanted = and(eq(apiKeys.id, id), isNotRevoked);
  const [row] = await tx.select().from(apiKeys).where(isWanted).for('no key update');
  return row;
}

async function rotate(
  tx: Executor,
  id: ApiKeyId,
  { keyHash, hint, at, oldWorksUntil, expectedHash }: Rotation,
): Promise<Outcome<ApiKey, RotationProblem>> {
  const known = await lock(tx, id);
  if (known !== undefined) {
    const isExpected = expectedHash === undefined || known.keyHash === expectedHash;
    if (!isExpected) return reject('key-secret-replaced');
    if (await hasRow(tx, apiKeys, hasEverHadHash(keyHash))) return reject('key-taken');
  }
  return update(tx, id, { keyHash, ...hint, ...REPLACED, rotatedAt: at, previousUntil: oldWorksUntil });
}

type Writes = Pick<ApiKeyStore, 'create' | 'revoke' | 'change' | 'recordUses'>;

function createWrites({ orm }: StoreDatabase, { invalidate }: Changes): Writes {
  return {
    create: (key, limit, now, entry) =>
      invalidate(entry, async (tx) => {
        const isNotExpired = or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now));
        const isActive = and(isOwnedBy(tx, ownerOf(key)), isNotRevoked, isNotExpired);
        if ((await countRows(tx, apiKeys, isActive)) >= limit) return reject('keys-limit');
        if (await hasRow(tx, apiKeys, hasEverHadHash(key.keyHash))) return reject('key-taken');
        const values = { ...key, ...key.hint, firstHash: key.keyHash, createdAt: now };
        const [row] = await tx.insert(apiKeys).values(values).onConflictDoNothing().returning();
        return row === undefined ? reject('key-taken') : done(toApiKey(row));
      }),
    revoke: (id, now, entry) => invalidate(entry, (tx) => update(tx, id, { revokedAt: now })),
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
    WITH used AS (SELECT id, max(last_used_at) AS at FROM ${orm.engine.toRecords(Object.entries({ id, lastUsedAt }), rows)} GROUP BY id),
    changed AS (
      SELECT k.id, used.at FROM ${apiKeys} AS k JOIN used ON used.id = k.id
      WHERE k.last_used_at IS NULL OR k.last_used_at < used.at ORDER BY k.id ${orm.engine.lockRows('k')}
    )
    UPDATE ${apiKeys} AS k SET last_used_at = changed.at FROM changed WHERE k.id = changed.id`);
  await recordOldUses(orm, uses);
}

/** Like `recordUses`, for secrets that a rotation replaced. */
async function recordOldUses(orm: Executor, uses: Parameters<ApiKeyStore['recordUses']>[0]): Promise<void> {
  const rows = uses.flatMap(({ id, old }) =>
    old === undefined ? [] : [{ id, rotatedAt: old.replacedAt, previousUsedAt: old.at }],
  );
  if (rows.length === 0) return;
  const { id, rotatedAt, previousUsedAt } = apiKeys;
  await orm.execute(sql`
    WITH used AS (
      SELECT id, rotated_at, max(previous_used_at) AS at
      FROM ${orm.engine.toRecords(Object.entries({ id, rotatedAt, previousUsedAt }), rows)} GROUP BY id, rotated_at
    ),
    changed AS (
      SELECT k.id, used.at FROM ${apiKeys} AS k JOIN used ON used.id = k.id AND used.rotated_at = k.rotated_at
      WHERE k.previous_used_at IS NULL OR k.previous_used_at < used.at ORDER BY k.id ${orm.engine.lockRows('k')}
    )
    UPDATE ${apiKeys} AS k SET previous_used_at = changed.at FROM changed WHERE k.id = changed.id`);
}

function createExpiry(database: StoreDatabase): Pick<ApiKeyStore, 'expiring' | 'markExpiring'> {
  return {
    async expiring(accountId, from, to) {
      const owned = database.orm
        .select({ id: organizations.id })
        .from(organizations)
        .where(and(eq(organizations.ownerId, accountId), isNull(organizations.deletedAt)));
      const isOwned = or(
        isOwnedBy(database.orm, { accountId }),
        and(inArray(apiKeys.organizationId, owned), isOrganizationOwned(database.orm)),
      );
      const isWanted = and(isOwned, expiresBetween(from, to));
      const rows = database.orm.select().from(apiKeys).where(isWanted);
      return (await rows.orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id))).map(toApiKey);
    },
    markExpiring: (now) =>
      database.transact(async (tx) => {
        const marked: ExpiringKey[] = [];
        for (const [i, days] of EXPIRY_WARNING_DAYS.entries())
          marked.push(...(await mark(tx, days, EXPIRY_WARNING_DAYS[i + 1] ?? 0, now)));
        return marked;
      }),
  };
}

/** Marks a batch of keys that expire within `days`, but not within `nextDays`, the days of the next warning. */
async function mark(tx: Executor, days: number, nextDays: number, now: Instant) {
  const isUnmarked = or(isNull(apiKeys.expiryWarnedDays), gt(apiKeys.expiryWarnedDays, days));
  const isDue = expiresBetween(later(now, nextDays * DAY), later(now, days * DAY));
  const some = tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(isDue, isUnmarked, IS_OWNER_ACTIVE))
    .limit(MARK_SIZE);
  const marked = tx.update(apiKeys).set({ expiryWarnedDays: days }).where(inArray(apiKeys.id, some));
  return (await marked.returning()).map((row) => ({ key: toApiKey(row), days }));
}

/** Matches keys that are not revoked and expire after `from`, but not after `to`. */
function expiresBetween(from: Instant, to: Instant): SQL | undefined {
  return and(isNotRevoked, gt(apiKeys.expiresAt, from), lte(apiKeys.expiresAt, to));
}
