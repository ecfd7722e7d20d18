import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import { lazy } from '../../../lib/lazy.ts';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import { INSTALLATION } from '../../../model/actor.ts';
import type { PropertyLookup, PropertyOrder, PropertyStore } from '../../../model/ports/property.ts';
import type { Property, PropertyId } from '../../../model/property.ts';
import { toDay } from '../../../model/statistics.ts';
import { idOfOrganization } from '../../subjects.ts';
import { type MainDatabase, transact } from '../open.ts';
import type { Change } from '../recordedChange.ts';
import { propertyColumns } from '../rows.ts';
import { apiKeys, invitations, members, organizations, properties, tasks } from '../schema.ts';
import type { RemainingQuotas } from './plans.ts';
import { createPropertyWriter } from './propertyWriter.ts';
import { createDeleteDays } from './statistics.ts';

/** Maximum number of properties that one call deletes in a few milliseconds. Each has up to two years of statistics. */
const PURGE_SIZE = 20;

// Neither the property nor its organization is deleted. 1.6 µs; a join takes 9 µs (Bun 1.4.5, 100,000 properties). GET /puzzle
// waits for this query if the sitekey is not in the cache.
const IS_LIVE = sql.raw(
  '(deleted_at IS NULL AND (SELECT o.deleted_at FROM organizations o WHERE o.id = organization_id) IS NULL)',
);

/** The owner of the organization of a property. */
const OWNER_ID = sql`(SELECT o.owner_id FROM organizations o WHERE o.id = organization_id)`.mapWith(
  organizations.ownerId,
);

export const RULES_JSON = sql<
  string | null
>`(SELECT r.rules FROM rule_lists r WHERE r.property_id = ${properties.id})`;

/** The revision of a list that is not empty. `octet_length` does not read the text. Adds 0.2 µs (100,000 properties). */
const revisionOf = (propertyId: SQLWrapper) =>
  sql<
    number | null
  >`(SELECT r.revision FROM rule_lists r WHERE r.property_id = ${propertyId} AND octet_length(r.rules) > 2)`;

const MATCHES = sql`(instr(${properties.nameFolded}, ${sql.placeholder('name')}) > 0
  OR instr(${properties.domain}, ${sql.placeholder('domain')}) > 0
  OR instr(${properties.sitekey}, ${sql.placeholder('sitekey')}) > 0)`;

/** @see PropertyStore */
export function createPropertyStore(
  database: MainDatabase,
  remaining: RemainingQuotas,
  change: Change,
): PropertyStore & PropertyLookup {
  const writer = createPropertyWriter(database, remaining);
  const purge = createPurge(database);
  const select = (condition: SQL | undefined) =>
    database.orm.select(propertyColumns).from(properties).where(and(IS_LIVE, condition));
  const bySitekey = database.orm
    .select({
      ...propertyColumns,
      ownerId: OWNER_ID,
      rulesRevision: revisionOf(properties.id),
      installationRevision: revisionOf(sql`0`),
    })
    .from(properties)
    .where(and(IS_LIVE, eq(properties.sitekey, sql.placeholder('sitekey'))))
    .prepare();
  const byId = select(eq(properties.id, sql.placeholder('id'))).prepare();
  const slices = lazy(() => prepareSlices(database, properties.nameFolded));
  // The plus prevents the use of the index on names, whose order differs from the order of the rows: searching 100,000 properties
  // takes 15 ms without the index and 96 ms with it.
  const searches = lazy(() => prepareSlices(database, sql`+${properties.nameFolded}`, MATCHES));

  return {
    create: (property, now, actor = INSTALLATION, entries) =>
      change(entries, () => writer(actor, now).create(property)),
    setEnabled: (id, isEnabled, now, entries) =>
      change(entries, (): Outcome<Property, 'property-gone'> => {
        const updated = writer(INSTALLATION, now).update({ id, change: { isEnabled } });
        // The installation can access all properties, and the name does not change, so no other problem can occur.
        return updated.ok ? done(updated.value.after) : reject('property-gone');
      }),
    async byId(id) {
      return byId.get({ id });
    },
    async list(organizationId) {
      const isOfOrganization =
        organizationId === undefined ? undefined : eq(properties.organizationId, organizationId);
      return select(isOfOrganization).orderBy(asc(properties.id)).all();
    },
    async bySitekeys(organizationId, sitekeys) {
      const isWanted = inArray(properties.sitekey, [...sitekeys]);
      return select(and(eq(properties.organizationId, organizationId), isWanted)).all();
    },
    async listAfter(organizationId, after, limit) {
      const { id } = properties;
      const isNewer = and(eq(properties.organizationId, organizationId), gt(id, after ?? (0 as PropertyId)));
      return select(isNewer).orderBy(asc(id)).limit(limit).all();
    },
    async slice(organizationId, { order, ...slice }) {
      return slices()[order].all({ organizationId, ...slice });
    },
    async search(organizationId, wanted, { order, ...slice }) {
      return searches()[order].all({ organizationId, ...slice, ...wanted });
    },
    purge: (before) => transact(database, () => purge(before)),
    bySitekey: (sitekey) => bySitekey.get({ sitekey }),
  };
}

/** One query for each order. Names are unique within an organization, so every order is total. */
function prepareSlices({ orm }: MainDatabase, name: SQLWrapper, matches?: SQL) {
  const isOfOrganization = eq(properties.organizationId, sql.placeholder('organizationId'));
  const prepare = (order: SQL) =>
    orm
      .select(propertyColumns)
      .from(properties)
      .where(and(isNull(properties.deletedAt), isOfOrganization, matches))
      .orderBy(order)
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare();
  return {
    date_asc: prepare(asc(properties.id)),
    date_desc: prepare(desc(properties.id)),
    name_asc: prepare(asc(name)),
    name_desc: prepare(desc(name)),
  } satisfies Record<PropertyOrder, unknown>;
}

/** Deletes properties first, and an organization only after its last property. */
function createPurge(database: MainDatabase) {
  const { orm } = database;
  const deleteDays = createDeleteDays(database);

  /** @returns the number of properties that were deleted */
  function purgeProperties(condition: SQL | undefined, before: Instant): number {
    const { id, createdAt } = properties;
    const some = orm.select({ id, createdAt }).from(properties).where(condition).limit(PURGE_SIZE).all();
    for (const property of some) {
      deleteDays(property.id, toDay(property.createdAt), toDay(before));
      orm.delete(properties).where(eq(properties.id, property.id)).run();
    }
    return some.length;
  }

  return (before: Instant): number => {
    const isOldOrganization = and(isNotNull(organizations.deletedAt), lt(organizations.deletedAt, before));
    const old = orm.select({ id: organizations.id }).from(organizations).where(isOldOrganization);
    const isOldProperty = and(isNotNull(properties.deletedAt), lt(properties.deletedAt, before));
    const purged =
      purgeProperties(isOldProperty, before) +
      purgeProperties(inArray(properties.organizationId, old), before);
    if (purged > 0) return purged;
    orm.delete(members).where(inArray(members.organizationId, old)).run();
    orm.delete(invitations).where(inArray(invitations.organizationId, old)).run();
    // Tasks of API keys that are limited to the organization have the same limit.
    orm.delete(tasks).where(inArray(tasks.organizationId, old)).run();
    orm.delete(apiKeys).where(inArray(apiKeys.organizationId, old)).run();
    const { id, createdAt } = organizations;
    const deleted = orm.delete(organizations).where(isOldOrganization).returning({ id, createdAt }).all();
    for (const one of deleted) deleteDays(idOfOrganization(one.id), toDay(one.createdAt), toDay(before));
    return deleted.length;
  };
}
