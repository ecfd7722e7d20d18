import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { OrganizationId, OrganizationOverview } from '../../model/organization.ts';
import type {
  InstallationCounts,
  ListedProperty,
  OrganizationOrder,
  OverviewFilter,
  OverviewOrder,
  OverviewSlice,
  OverviewState,
  OverviewStore,
  Progress,
} from '../../model/ports/statistics.ts';
import type { PropertyId } from '../../model/property.ts';
import type { IndexedList } from '../dialect.ts';
import { propertyColumns, toTask } from '../entities.ts';
import type { Executor, StoreDatabase } from '../executor.ts';
import { hasRow } from '../queries.ts';
import { apiKeys, organizations, properties, propertyActivity, tasks } from '../schema.ts';
import { isAccessibleTo, isRowAccessibleTo } from './membership.ts';
import { MEMBER_COUNT, PROPERTY_COUNT, selectOverview } from './organizations.ts';

type Scope = readonly OrganizationId[];

/** @see OverviewStore */
export function createOverviewStore({ orm }: StoreDatabase): OverviewStore {
  return {
    async properties(filter, slice) {
      const scope = await scopeOf(orm, filter);
      return load(orm, await listIds(orm, scope, filter, slice));
    },
    async inState(filter, state, { order, limit }) {
      const scope = await scopeOf(orm, filter);
      const list = { ...IN_STATE[state], order: order === 'date_desc' ? 'id DESC' : 'id' };
      const rows = await orm.execute<{ id: string }>(
        orm.engine.selectFirst(list, scope, { offset: 0, limit }),
      );
      return rows.map(({ id }) => Number(id) as PropertyId);
    },
    async findProperties(filter, wanted, limit) {
      const scope = await scopeOf(orm, filter);
      const { nameFolded, domain, sitekey } = properties;
      const { contains, searchProperties } = orm.engine;
      const matches = or(
        contains(nameFolded, wanted.name),
        contains(domain, wanted.domain),
        contains(sitekey, wanted.sitekey),
      );
      return searchProperties(orm, scope, matches, limit);
    },
    async bySitekeyPrefix(accountId, prefix, limit) {
      const scope = await scopeOf(orm, { accountId });
      const { id, sitekey, organizationId, deletedAt } = properties;
      const { isAnyOf, unindexed } = orm.engine;
      // The letter after the last hexadecimal digit ends the range of keys with the prefix.
      const isInRange = sql`${sitekey} >= ${prefix} AND ${sitekey} < ${`${prefix}g`}`;
      const found = orm
        .select({ id })
        .from(properties)
        .where(and(isInRange, isNull(deletedAt), isAnyOf(unindexed(organizationId), scope)));
      const rows = await found.orderBy(asc(sitekey)).limit(limit);
      return load(
        orm,
        rows.map((row) => row.id),
      );
    },
    async organizations(accountId, text, { order = 'name_asc', offset, limit }) {
      const matches = text === '' ? undefined : orm.engine.contains(organizations.nameFolded, text);
      const rows = await selectOverview(orm, accountId, matches)
        .orderBy(...ORGANIZATIONS_BY[order])
        .limit(limit)
        .offset(offset);
      return rows.map(
        (row): OrganizationOverview => ({
          ...row,
          role: row.ownerId === accountId ? 'owner' : 'member',
        }),
      );
    },
    async failedTasks(accountId, since, limit) {
      // No text in JSON contains this, because quotation marks in strings are escaped.
      const hasProblem = orm.engine.contains(tasks.results, '"problem":');
      const isRecent = and(isNotNull(tasks.finishedAt), gt(tasks.finishedAt, since));
      const isOfKey = and(eq(tasks.accountId, accountId), isNotNull(tasks.keyId));
      const rows = orm
        .select()
        .from(tasks)
        .where(and(isOfKey, isRecent, hasProblem));
      return (await rows.orderBy(desc(tasks.number)).limit(limit)).map(toTask);
    },
    progress: (accountId, now) => readProgress(orm, accountId, now),
    counts: () => countObjects(orm),
  };
}

async function readProgress(orm: Executor, accountId: AccountId, now: Instant): Promise<Progress> {
  const scope = await scopeOf(orm, { accountId });
  const { hasFlag, isAnyOf } = orm.engine;
  const { expiresAt, organizationId, revokedAt } = apiKeys;
  const canVerify = and(
    eq(apiKeys.scope, 'verify'),
    isNull(revokedAt),
    or(isNull(expiresAt), gt(expiresAt, now)),
  );
  const isOwn = and(eq(apiKeys.accountId, accountId), hasFlag('is_organization_owned', false));
  const isShared = and(isAnyOf(organizationId, scope), hasFlag('is_organization_owned', true));
  const wasVerified = isNotNull(propertyActivity.verifiedHour);
  return {
    hasKey:
      (await hasRow(orm, apiKeys, and(isOwn, canVerify))) ||
      (await hasRow(orm, apiKeys, and(isShared, canVerify))),
    hasVerified: await hasRow(
      orm,
      propertyActivity,
      and(isAnyOf(propertyActivity.organizationId, scope), wasVerified),
    ),
  };
}

async function countObjects(orm: Executor): Promise<InstallationCounts> {
  const [row] = await orm.execute<Readonly<Record<keyof InstallationCounts, string>>>(sql`
    SELECT (SELECT count(*) FROM property_activity) AS properties,
      (SELECT count(*) FROM organizations WHERE deleted_at IS NULL) AS organizations,
      (SELECT count(*) FROM accounts) AS users`);
  return {
    properties: Number(row?.properties),
    organizations: Number(row?.organizations),
    users: Number(row?.users),
  };
}

/** @returns the organizations of a filter */
async function scopeOf(
  orm: Executor,
  { accountId, organizationId }: Pick<OverviewFilter, 'accountId' | 'organizationId'>,
): Promise<Scope> {
  const { id } = organizations;
  const isInScope =
    organizationId === undefined
      ? isAccessibleTo(accountId)
      : and(eq(id, organizationId), isRowAccessibleTo(accountId));
  const rows = await orm.select({ id }).from(organizations).where(isInScope);
  return rows.map((row) => row.id);
}

const ACTIVITY = { table: 'property_activity', id: 'property_id' } as const;
const PROPERTIES = { table: 'properties', id: 'id' } as const;

/** The lists without other conditions. */
const WHOLE: Readonly<Record<OverviewOrder, IndexedList>> = {
  use_desc: {
    ...ACTIVITY,
    index: 'property_activity_by_use',
    columns: ['issued'],
    condition: 'true',
    order: 'issued DESC, id DESC',
  },
  use_asc: {
    ...ACTIVITY,
    index: 'property_activity_by_use',
    columns: ['issued'],
    condition: 'true',
    order: 'issued, id',
  },
  name_asc: named('name_folded, organization_id'),
  name_desc: named('name_folded DESC, organization_id DESC'),
  date_desc: dated('id DESC'),
  date_asc: dated('id'),
};

function named(order: string): IndexedList {
  const columns = ['name_folded', 'organization_id'];
  const index = 'properties_by_organization_and_name';
  return { ...PROPERTIES, index, columns, condition: 'deleted_at IS NULL', order };
}

function dated(order: string): IndexedList {
  return {
    ...PROPERTIES,
    index: 'properties_by_organization',
    columns: [],
    condition: 'deleted_at IS NULL',
    order,
  };
}

/** The properties in a state. */
const IN_STATE: Readonly<Record<OverviewState, Omit<IndexedList, 'order'>>> = {
  disabled: {
    ...PROPERTIES,
    index: 'properties_disabled',
    columns: [],
    condition: 'deleted_at IS NULL',
    flag: ['is_enabled', false],
  },
  unverified: {
    ...ACTIVITY,
    index: 'property_activity_unverified',
    columns: [],
    condition: 'verified_hour IS NULL AND hour > 0',
  },
  spike: {
    ...ACTIVITY,
    index: 'property_activity_spikes',
    columns: [],
    condition: 'true',
    flag: ['is_spike', true],
  },
};

const HAS_STATE: Readonly<Record<OverviewState, SQL>> = {
  disabled: sql.raw('NOT p.is_enabled'),
  unverified: sql.raw('a.verified_hour IS NULL AND a.hour > 0'),
  spike: sql.raw('a.is_spike'),
};

const ORDERS: Readonly<Record<OverviewOrder, SQL>> = {
  use_desc: sql.raw('a.issued DESC, p.id DESC'),
  use_asc: sql.raw('a.issued, p.id'),
  name_asc: sql.raw('p.name_folded, p.organization_id'),
  name_desc: sql.raw('p.name_folded DESC, p.organization_id DESC'),
  date_desc: sql.raw('p.id DESC'),
  date_asc: sql.raw('p.id'),
};

const BY_NAME = [asc(organizations.nameFolded), asc(organizations.id)];

const ORGANIZATIONS_BY: Readonly<Record<OrganizationOrder, readonly SQL[]>> = {
  name_asc: BY_NAME,
  name_desc: [desc(organizations.nameFolded), desc(organizations.id)],
  properties_desc: [desc(PROPERTY_COUNT), ...BY_NAME],
  properties_asc: [asc(PROPERTY_COUNT), ...BY_NAME],
  members_desc: [desc(MEMBER_COUNT), ...BY_NAME],
  members_asc: [asc(MEMBER_COUNT), ...BY_NAME],
};

async function listIds(
  orm: Executor,
  scope: Scope,
  { state, ids }: OverviewFilter,
  { order, offset, limit }: OverviewSlice,
): Promise<readonly PropertyId[]> {
  const { isAnyOf, selectFirst } = orm.engine;
  const rows = await orm.execute<{ id: string }>(
    ids === undefined
      ? selectFirst(WHOLE[order], scope, { offset, limit })
      : sql`
        SELECT p.id FROM properties AS p JOIN property_activity AS a ON a.property_id = p.id
        WHERE ${isAnyOf(sql`p.organization_id`, scope)} AND p.deleted_at IS NULL
          AND ${state === undefined ? sql`true` : HAS_STATE[state]} AND ${isAnyOf(sql`p.id`, ids)}
        ORDER BY ${ORDERS[order]} LIMIT CAST(${limit} AS bigint) OFFSET CAST(${offset} AS bigint)`,
  );
  return rows.map(({ id }) => Number(id) as PropertyId);
}

/** @returns properties in the order of their ids */
async function load(orm: Executor, ids: readonly PropertyId[]): Promise<readonly ListedProperty[]> {
  if (ids.length === 0) return [];
  const rows = await orm
    .select({ ...propertyColumns, organizationName: organizations.name })
    .from(properties)
    .innerJoin(organizations, eq(organizations.id, properties.organizationId))
    .where(inArray(properties.id, [...ids]));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
