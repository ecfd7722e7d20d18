import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { OrganizationId, OrganizationOverview } from '../../../model/organization.ts';
import type {
  InstallationCounts,
  ListedProperty,
  OverviewFilter,
  OverviewOrder,
  OverviewSlice,
  OverviewState,
  OverviewStore,
} from '../../../model/ports/overview.ts';
import type { PropertyId } from '../../../model/property.ts';
import { toTask } from '../../entities.ts';
import type { Database } from '../connect.ts';
import { contains } from '../queries.ts';
import { propertyColumns } from '../rows.ts';
import { organizations, properties, tasks } from '../schema.ts';
import type { Executor } from '../transact.ts';
import { isAccessibleTo } from './membership.ts';
import { selectOverview } from './organizations.ts';

type Scope = readonly OrganizationId[];

/** @see OverviewStore */
export function createOverviewStore({ orm }: Database): OverviewStore {
  return {
    async properties(filter, slice) {
      const scope = await scopeOf(orm, filter);
      return load(orm, await listIds(orm, scope, filter, slice));
    },
    async inState(filter, state, { order, limit }) {
      const scope = await scopeOf(orm, filter);
      const direction = sql.raw(order === 'date_desc' ? 'DESC' : 'ASC');
      const rows = await orm.execute<{ id: string }>(sql`
        SELECT id FROM unnest(${sql.param([...scope])}::bigint[]) AS scope (one)
        CROSS JOIN LATERAL (${IN_STATE[state]} ORDER BY id ${direction} LIMIT ${limit}::bigint) AS found
        ORDER BY id ${direction} LIMIT ${limit}::bigint`);
      return rows.map(({ id }) => Number(id) as PropertyId);
    },
    async findProperties(filter, wanted, limit) {
      const scope = await scopeOf(orm, filter);
      const { id, nameFolded, domain, sitekey } = properties;
      const matches = or(
        contains(nameFolded, wanted.name),
        contains(domain, wanted.domain),
        contains(sitekey, wanted.sitekey),
      );
      const found = orm
        .select({ id })
        .from(properties)
        .where(and(isIn(scope), matches));
      return (await found.orderBy(desc(id)).limit(limit)).map((row) => row.id);
    },
    async bySitekeyPrefix(accountId, prefix, limit) {
      const scope = await scopeOf(orm, { accountId });
      const { id, sitekey } = properties;
      // The letter after the last hexadecimal digit ends the range of keys with the prefix.
      const isInRange = sql`${sitekey} >= ${prefix} AND ${sitekey} < ${`${prefix}g`}`;
      const found = orm
        .select({ id })
        .from(properties)
        .where(and(isInRange, isIn(scope)));
      const rows = await found.orderBy(asc(sitekey)).limit(limit);
      return load(
        orm,
        rows.map((row) => row.id),
      );
    },
    async organizations(accountId, text, { offset, limit }) {
      const matches = text === '' ? undefined : contains(organizations.nameFolded, text);
      const rows = await selectOverview(orm, accountId, matches)
        .orderBy(asc(organizations.nameFolded), asc(organizations.id))
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
      const hasProblem = sql`strpos(${tasks.results}, '"problem":') > 0`;
      const isRecent = and(isNotNull(tasks.finishedAt), gt(tasks.finishedAt, since));
      const isOfKey = and(eq(tasks.accountId, accountId), isNotNull(tasks.keyId));
      const rows = orm
        .select()
        .from(tasks)
        .where(and(isOfKey, isRecent, hasProblem));
      return (await rows.orderBy(desc(tasks.number)).limit(limit)).map(toTask);
    },
    counts: () => countObjects(orm),
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
  const isWanted = organizationId === undefined ? undefined : eq(id, organizationId);
  const rows = await orm
    .select({ id })
    .from(organizations)
    .where(and(isAccessibleTo(accountId), isWanted));
  return rows.map((row) => row.id);
}

function isIn(scope: Scope): SQL | undefined {
  return and(
    isNull(properties.deletedAt),
    sql`${properties.organizationId} = ANY(${sql.param([...scope])}::bigint[])`,
  );
}

type Source = {
  /** Selects `id` and the columns of the order for one organization. */
  readonly select: (organization: SQL) => SQL;
  readonly order: SQL;
};

const IDS = sql.raw(`id, name_folded, organization_id FROM properties`);

/** The lists without other conditions. Each reads the first rows of each organization from an index in its order. */
const WHOLE: Readonly<Record<OverviewOrder, Source>> = {
  use_desc: {
    select: (organization) => sql`
      SELECT property_id AS id, issued FROM property_activity WHERE organization_id = ${organization}`,
    order: sql.raw('issued DESC, id DESC'),
  },
  name_asc: fromProperties('name_folded, organization_id'),
  name_desc: fromProperties('name_folded DESC, organization_id DESC'),
  date_desc: fromProperties('id DESC'),
  date_asc: fromProperties('id'),
};

function fromProperties(order: string): Source {
  return {
    select: (organization) =>
      sql`SELECT ${IDS} WHERE organization_id = ${organization} AND deleted_at IS NULL`,
    order: sql.raw(order),
  };
}

/** The properties of one organization that are in a state. */
const IN_STATE: Readonly<Record<OverviewState, SQL>> = {
  disabled: sql.raw(
    'SELECT id FROM properties WHERE organization_id = scope.one AND NOT is_enabled AND deleted_at IS NULL',
  ),
  unverified: sql.raw(
    'SELECT property_id AS id FROM property_activity WHERE organization_id = scope.one AND verified_hour IS NULL AND hour > 0',
  ),
  spike: sql.raw(
    'SELECT property_id AS id FROM property_activity WHERE organization_id = scope.one AND is_spike',
  ),
};

const HAS_STATE: Readonly<Record<OverviewState, SQL>> = {
  disabled: sql.raw('NOT p.is_enabled'),
  unverified: sql.raw('a.verified_hour IS NULL AND a.hour > 0'),
  spike: sql.raw('a.is_spike'),
};

const ORDERS: Readonly<Record<OverviewOrder, SQL>> = {
  use_desc: sql.raw('a.issued DESC, p.id DESC'),
  name_asc: sql.raw('p.name_folded, p.organization_id'),
  name_desc: sql.raw('p.name_folded DESC, p.organization_id DESC'),
  date_desc: sql.raw('p.id DESC'),
  date_asc: sql.raw('p.id'),
};

async function listIds(
  orm: Executor,
  scope: Scope,
  { state, ids }: OverviewFilter,
  { order, offset, limit }: OverviewSlice,
): Promise<readonly PropertyId[]> {
  const range = sql`LIMIT ${limit}::bigint OFFSET ${offset}::bigint`;
  const given = sql`${sql.param([...scope])}::bigint[]`;
  const rows = await orm.execute<{ id: string }>(
    ids === undefined
      ? sql`
        SELECT id FROM unnest(${given}) AS scope (one)
        CROSS JOIN LATERAL (
          ${WHOLE[order].select(sql.raw('scope.one'))} ORDER BY ${WHOLE[order].order}
          LIMIT ${offset + limit}::bigint
        ) AS found
        ORDER BY ${WHOLE[order].order} ${range}`
      : sql`
        SELECT p.id FROM properties p JOIN property_activity a ON a.property_id = p.id
        WHERE p.organization_id = ANY(${given}) AND p.deleted_at IS NULL
          AND ${state === undefined ? sql`true` : HAS_STATE[state]}
          AND p.id = ANY(${sql.param([...ids])}::bigint[])
        ORDER BY ${ORDERS[order]} ${range}`,
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
