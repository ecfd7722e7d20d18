import { and, desc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import { pacer } from '../../../lib/pacer.ts';
import type { OrganizationOverview } from '../../../model/organization.ts';
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
import type { MainDatabase } from '../open.ts';
import { propertyColumns } from '../rows.ts';
import { organizations, properties, tasks } from '../schema.ts';
import { createListAccessible } from './membership.ts';
import { selectOverview } from './organizations.ts';

/** Number of property ids that one query of a search covers: 1.4 ms if none of them match (Bun 1.4.5). */
const SEARCH_SIZE = 10_000;

/** @see OverviewStore */
export function createOverviewStore(database: MainDatabase): OverviewStore {
  const { orm, raw } = database;
  const scopeOf = createScope(database);
  const load = createLoad(database);
  const find = createFind(database);
  const counts = raw.query<InstallationCounts, []>(`
    SELECT (SELECT count(*) FROM property_activity) AS properties,
      (SELECT count(*) FROM organizations WHERE deleted_at IS NULL) AS organizations,
      (SELECT count(*) FROM accounts) AS users`);
  const byPrefix = raw.query<{ id: PropertyId }, [string, string, string, number]>(`
    SELECT id FROM properties WHERE sitekey >= ? AND sitekey < ? AND deleted_at IS NULL
      AND +organization_id IN (SELECT value FROM json_each(?)) ORDER BY sitekey LIMIT ?`);

  return {
    async properties(filter, slice) {
      return load(listIds(database, scopeOf(filter), filter, slice));
    },
    async inState(filter, state, { order, limit }) {
      const query = `${IN_STATE[state]} ORDER BY id ${order === 'date_desc' ? 'DESC' : ''} LIMIT ?2`;
      const rows = raw.query<{ id: PropertyId }, [string, number]>(query).all(scopeOf(filter), limit);
      return rows.map(({ id }) => id);
    },
    findProperties: (filter, wanted, limit) => find(scopeOf(filter), wanted, limit),
    async bySitekeyPrefix(accountId, prefix, limit) {
      // The letter after the last hexadecimal digit ends the range of keys with the prefix.
      const rows = byPrefix.all(prefix, `${prefix}g`, scopeOf({ accountId }), limit);
      return load(rows.map(({ id }) => id));
    },
    async organizations(accountId, text, { offset, limit }) {
      const matches = text === '' ? undefined : sql`instr(${organizations.nameFolded}, ${text}) > 0`;
      const rows = selectOverview(database, accountId, matches)
        .orderBy(organizations.nameFolded, organizations.id)
        .limit(limit)
        .offset(offset)
        .all();
      return rows.map(
        (row): OrganizationOverview => ({
          ...row,
          role: row.ownerId === accountId ? 'owner' : 'member',
        }),
      );
    },
    async failedTasks(accountId, since, limit) {
      // No text in JSON contains this, because quotation marks in strings are escaped.
      const hasProblem = sql`instr(${tasks.results}, '"problem":') > 0`;
      const isRecent = and(isNotNull(tasks.finishedAt), gt(tasks.finishedAt, since));
      const isOfKey = and(eq(tasks.accountId, accountId), isNotNull(tasks.keyId));
      const rows = orm
        .select()
        .from(tasks)
        .where(and(isOfKey, isRecent, hasProblem));
      return rows.orderBy(desc(tasks.number)).limit(limit).all().map(toTask);
    },
    async counts() {
      return counts.get() as InstallationCounts;
    },
  };
}

/** @returns a function that returns the organizations of a filter, as a JSON array of ids */
function createScope(database: MainDatabase) {
  const listAccessible = createListAccessible(database);
  return ({ accountId, organizationId }: Pick<OverviewFilter, 'accountId' | 'organizationId'>): string => {
    const accessible = [...listAccessible(accountId)];
    const wanted =
      organizationId === undefined ? accessible : accessible.filter((id) => id === organizationId);
    return JSON.stringify(wanted);
  };
}

const IN_SCOPE = 'organization_id IN (SELECT value FROM json_each(?1))';

/**
 * The lists without other conditions. Each reads an index in its order, and reads only the first rows of each organization: 0.2 ms for
 * 100,000 properties in 200 organizations.
 */
const WHOLE: Readonly<Record<OverviewOrder, string>> = {
  use_desc: `SELECT property_id AS id FROM property_activity INDEXED BY property_activity_by_use
    WHERE ${IN_SCOPE} ORDER BY issued DESC, property_id DESC`,
  name_asc: named('name_folded, organization_id'),
  name_desc: named('name_folded DESC, organization_id DESC'),
  date_desc: dated('id DESC'),
  date_asc: dated('id'),
};

function named(order: string): string {
  return `SELECT id FROM properties INDEXED BY properties_by_organization_and_name
    WHERE ${IN_SCOPE} AND deleted_at IS NULL ORDER BY ${order}`;
}

function dated(order: string): string {
  return `SELECT id FROM properties INDEXED BY properties_by_organization
    WHERE ${IN_SCOPE} AND deleted_at IS NULL ORDER BY ${order}`;
}

/** The properties in a state. The indexes contain no others, except some that have not been computed yet. */
const IN_STATE = {
  disabled: `SELECT id FROM properties INDEXED BY properties_disabled
    WHERE ${IN_SCOPE} AND is_enabled = 0 AND deleted_at IS NULL`,
  unverified: `SELECT property_id AS id FROM property_activity INDEXED BY property_activity_unverified
    WHERE ${IN_SCOPE} AND verified_hour IS NULL AND hour > 0`,
  spike: `SELECT property_id AS id FROM property_activity INDEXED BY property_activity_spikes
    WHERE ${IN_SCOPE} AND is_spike = 1`,
} as const;

const HAS_STATE: Readonly<Record<OverviewState, string>> = {
  disabled: 'p.is_enabled = 0',
  unverified: 'a.verified_hour IS NULL AND a.hour > 0',
  spike: 'a.is_spike = 1',
};

const ORDERS: Readonly<Record<OverviewOrder, string>> = {
  use_desc: 'a.issued DESC, p.id DESC',
  name_asc: 'p.name_folded, p.organization_id',
  name_desc: 'p.name_folded DESC, p.organization_id DESC',
  date_desc: 'p.id DESC',
  date_asc: 'p.id',
};

function listIds(
  { raw }: MainDatabase,
  scope: string,
  { state, ids }: OverviewFilter,
  { order, offset, limit }: OverviewSlice,
): readonly PropertyId[] {
  const rows = raw.query<{ id: PropertyId }, (string | number)[]>(
    `${idsQuery(state, ids !== undefined, order)} LIMIT ?2 OFFSET ?3`,
  );
  const given = ids === undefined ? [] : [JSON.stringify(ids)];
  return rows.all(scope, limit, offset, ...given).map(({ id }) => id);
}

/** @returns a query with the parameters scope, limit, offset, and, if it has ids, a JSON array of them */
function idsQuery(state: OverviewState | undefined, hasIds: boolean, order: OverviewOrder): string {
  if (!hasIds) return WHOLE[order];
  return `SELECT p.id FROM json_each(?4) w CROSS JOIN properties p ON p.id = w.value
    CROSS JOIN property_activity a ON a.property_id = p.id
    WHERE p.${IN_SCOPE} AND p.deleted_at IS NULL ${state === undefined ? '' : `AND ${HAS_STATE[state]}`}
    ORDER BY ${ORDERS[order]}`;
}

/** @returns a function that loads properties in the order of their ids */
function createLoad({ orm }: MainDatabase) {
  return (ids: readonly PropertyId[]): readonly ListedProperty[] => {
    const rows = orm
      .select({ ...propertyColumns, organizationName: organizations.name })
      .from(properties)
      .innerJoin(organizations, eq(organizations.id, properties.organizationId))
      .where(inArray(properties.id, [...ids]))
      .all();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  };
}

/** @returns a function that searches the properties of organizations, newest first, in several queries */
function createFind({ raw }: MainDatabase) {
  type Row = { readonly id: PropertyId };
  const newest = raw.query<{ id: number | null }, []>('SELECT max(id) AS id FROM properties');
  const search = raw.query<Row, [string, string, string, string, number, number, number]>(`
    SELECT id FROM properties
    WHERE id <= ?5 AND id > ?6 AND deleted_at IS NULL
      AND (instr(name_folded, ?2) > 0 OR instr(domain, ?3) > 0 OR instr(sitekey, ?4) > 0)
      AND +organization_id IN (SELECT value FROM json_each(?1))
    ORDER BY id DESC LIMIT ?7`);
  const searchOne = raw.query<Row, [string, string, string, string, number]>(`
    SELECT id FROM properties INDEXED BY properties_by_organization
    WHERE organization_id IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL
      AND (instr(name_folded, ?2) > 0 OR instr(domain, ?3) > 0 OR instr(sitekey, ?4) > 0)
    ORDER BY id DESC LIMIT ?5`);
  const size = raw.query<{ size: number }, [string, number]>(`
    SELECT count(*) AS size FROM (
      SELECT 1 FROM properties WHERE organization_id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL LIMIT ?)`);

  return async (
    scope: string,
    { name, domain, sitekey }: { readonly name: string; readonly domain: string; readonly sitekey: string },
    limit: number,
  ): Promise<readonly PropertyId[]> => {
    // A few properties are read through the index, and many in the order of the table.
    if ((size.get(scope, SEARCH_SIZE)?.size ?? 0) < SEARCH_SIZE) {
      return searchOne.all(scope, name, domain, sitekey, limit).map(({ id }) => id);
    }
    const found: PropertyId[] = [];
    for (let last = newest.get()?.id ?? 0; last > 0 && found.length < limit; last -= SEARCH_SIZE) {
      const rows = search.all(scope, name, domain, sitekey, last, last - SEARCH_SIZE, limit - found.length);
      found.push(...rows.map(({ id }) => id));
      // Other requests continue between two queries.
      await pacer.turn();
    }
    return found;
  };
}
