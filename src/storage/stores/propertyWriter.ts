import { and, eq, getTableColumns, isNull, sql } from 'drizzle-orm';
import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import { type Actor, isSystem, isWithinLimits } from '../../model/actor.ts';
import { foldName } from '../../model/name.ts';
import type { Organization, OrganizationId } from '../../model/organization.ts';
import type { NewProperty } from '../../model/ports/property.ts';
import type { Property, PropertyId, Sitekey } from '../../model/property.ts';
import type { PropertyUpdate } from '../../model/task.ts';
import { organizationColumns, propertyColumns } from '../entities.ts';
import type { Executor } from '../executor.ts';
import { insertRows } from '../queries.ts';
import { organizations, properties } from '../schema.ts';
import { isRowAccessibleTo } from './membership.ts';
import type { RemainingQuotas } from './plans.ts';
import { type BatchChanges, createBatch, type LoadedData, nameKeyOf, toNameKey } from './propertyBatch.ts';

export type OrganizationProblem = 'organization-unknown' | 'organization-not-yours';
export type PropertyProblem = 'property-gone' | 'property-not-yours';

/** A property before and after an update. */
export type Updated = { readonly before: Property; readonly after: Property };

/** Changes properties within one transaction. Each method checks access, names, and quotas. */
export type PropertyWriter = {
  readonly create: (
    property: NewProperty,
  ) => Outcome<Property, OrganizationProblem | 'properties-limit' | 'property-name-taken'>;
  readonly update: (
    update: PropertyUpdate,
  ) => Outcome<Updated, PropertyProblem | 'sitekey-read-only' | 'property-name-taken'>;
  readonly remove: (id: PropertyId) => Outcome<Property, PropertyProblem>;
};

/** The properties that a batch may change. */
export type Batch = {
  readonly creations?: readonly NewProperty[];
  readonly updates?: readonly PropertyUpdate[];
  readonly removals?: readonly PropertyId[];
};

/**
 * Runs synchronous work with a writer that can change the properties of the batch, and then stores the changes. Runs only a few
 * statements, regardless of the number of properties.
 *
 * @param isKept whether the changes are stored; by default, they always are
 */
export type WriteBatch = <T>(
  batch: Batch,
  work: (writer: PropertyWriter) => T,
  isKept?: (result: T) => boolean,
) => Promise<T>;

/** @returns a function that writes batches within one transaction. It loads each organization and quota once. */
export function beginWriter(
  tx: Executor,
  remaining: RemainingQuotas,
  actor: Actor,
  now: Instant,
): WriteBatch {
  const access = new Map<OrganizationId, Outcome<Organization, OrganizationProblem>>();
  const quotas = new Map<AccountId, number>();

  async function loadQuotas(creations: readonly NewProperty[]): Promise<void> {
    for (const { organizationId } of creations) {
      const organization = access.get(organizationId);
      if (!organization?.ok || quotas.has(organization.value.ownerId)) continue;
      const { ownerId } = organization.value;
      quotas.set(ownerId, await remaining.properties(tx, ownerId));
    }
  }

  async function load({ creations = [], updates = [], removals = [] }: Batch): Promise<LoadedData> {
    const found = await findProperties(tx, [...updates.map(({ id }) => id), ...removals]);
    const involved = [...creations, ...found].map(({ organizationId }) => organizationId);
    const missing = new Set(involved.filter((id) => !access.has(id)));
    for (const [id, outcome] of await loadAccess(tx, actor, [...missing])) access.set(id, outcome);
    await loadQuotas(creations);
    const named = [...creations, ...toRenamed(updates, found)];
    return {
      access,
      quotas,
      properties: found,
      holders: await findHolders(tx, named),
      sitekeys: await findSitekeys(tx, creations),
      ids: (await tx.engine.reserveIds(tx, 'properties', creations.length)) as readonly PropertyId[],
    };
  }

  return async (batch, work, isKept = () => true) => {
    const writer = createBatch(await load(batch), now);
    const result = work(writer);
    if (isKept(result)) await store(tx, writer.changes, now);
    return result;
  };
}

async function findProperties(tx: Executor, ids: readonly PropertyId[]): Promise<readonly Property[]> {
  if (ids.length === 0) return [];
  const isWanted = and(tx.engine.isAnyOf(properties.id, ids), isNull(properties.deletedAt));
  return tx.select(propertyColumns).from(properties).where(isWanted);
}

/** Checks the actor's access to several organizations. */
async function loadAccess(
  tx: Executor,
  actor: Actor,
  ids: readonly OrganizationId[],
): Promise<ReadonlyMap<OrganizationId, Outcome<Organization, OrganizationProblem>>> {
  if (ids.length === 0) return new Map();
  // The limits of an organization's key are checked separately.
  const isAllowed =
    isSystem(actor) || actor.source === 'organization-key' ? sql`true` : isRowAccessibleTo(actor.user);
  const rows = await tx
    .select({ organization: organizationColumns, isAllowed: sql<boolean>`${isAllowed}` })
    .from(organizations)
    .where(and(tx.engine.isAnyOf(organizations.id, ids), isNull(organizations.deletedAt)));
  return new Map(
    rows.map(({ organization, isAllowed }) => [
      organization.id,
      isAllowed && isWithinLimits(actor, organization.id)
        ? done(organization)
        : reject('organization-not-yours'),
    ]),
  );
}

type Named = Pick<Property, 'organizationId' | 'name'>;

/** The new names of properties, in their organizations. */
function toRenamed(updates: readonly PropertyUpdate[], found: readonly Property[]): readonly Named[] {
  const organizationIds = new Map(found.map(({ id, organizationId }) => [id, organizationId]));
  return updates.flatMap(({ id, change: { name } }) => {
    const organizationId = organizationIds.get(id);
    return name === undefined || organizationId === undefined ? [] : [{ name, organizationId }];
  });
}

/** Finds the properties that have one of the names. */
async function findHolders(tx: Executor, named: readonly Named[]): Promise<LoadedData['holders']> {
  if (named.length === 0) return [];
  const { id, organizationId, nameFolded, deletedAt } = properties;
  const wanted = named.map((one) => ({ ...one, nameFolded: foldName(one.name) }));
  const columns = Object.entries({ organizationId, nameFolded });
  const rows = await tx
    .select({ id, organizationId, nameFolded })
    .from(properties)
    .innerJoin(
      tx.engine.toRecords(columns, wanted),
      and(eq(organizationId, sql`records.organization_id`), eq(nameFolded, sql`records.name_folded`)),
    )
    .where(isNull(deletedAt));
  return rows.map((row) => ({ id: row.id, nameKey: toNameKey(row.organizationId, row.nameFolded) }));
}

async function findSitekeys(tx: Executor, creations: readonly NewProperty[]): Promise<ReadonlySet<Sitekey>> {
  if (creations.length === 0) return new Set();
  const { sitekey } = properties;
  const isUsed = tx.engine.isAnyOf(
    sitekey,
    creations.map((creation) => creation.sitekey),
  );
  const rows = await tx.select({ sitekey }).from(properties).where(isUsed);
  return new Set(rows.map((row) => row.sitekey));
}

async function store(tx: Executor, changes: BatchChanges, now: Instant): Promise<void> {
  const { created, updated, removed } = changes;
  // Stores removals first, because other properties of the batch can have the names of removed ones.
  const isRemoved = tx.engine.isAnyOf(properties.id, [...removed]);
  if (removed.size > 0) await tx.update(properties).set({ deletedAt: now }).where(isRemoved);
  if (updated.size > 0) await update(tx, changes);
  const rows = [...created.values()].map((property) => ({
    ...property,
    nameFolded: foldName(property.name),
    deletedAt: removed.has(property.id) ? now : null,
  }));
  await insertRows(tx, properties, rows);
}

const {
  id,
  organizationId: _,
  sitekey: __,
  createdAt: ___,
  deletedAt: ____,
  attackUntil: _____,
  offlineRotations: ______,
  ...CHANGEABLE
} = getTableColumns(properties);

async function update(tx: Executor, { updated, unusedNames }: BatchChanges): Promise<void> {
  const all = [...updated.values()];
  if (all.some((property) => unusedNames.has(nameKeyOf(property)))) await clearNames(tx, [...updated.keys()]);
  const rows = all.map((property) => ({ ...property, nameFolded: foldName(property.name) }));
  const values = Object.values(CHANGEABLE).map(
    ({ name }) => sql`${sql.identifier(name)} = records.${sql.identifier(name)}`,
  );
  await tx.execute(sql`
    UPDATE ${properties} SET ${sql.join(values, sql`, `)}
    FROM ${tx.engine.toRecords(Object.entries({ id, ...CHANGEABLE }), rows)} WHERE ${id} = records.id`);
}

/** PostgreSQL checks unique names row by row, so it would reject a name that another row of the same statement still has. */
async function clearNames(tx: Executor, ids: readonly PropertyId[]): Promise<void> {
  // No name contains a control character.
  const nameFolded = sql`${'\u0001'} || ${id}`;
  await tx.update(properties).set({ nameFolded }).where(tx.engine.isAnyOf(id, ids));
}
