import { and, eq, isNull, ne } from 'drizzle-orm';
import { done, type Outcome, refuse } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../../model/account.ts';
import type { Caller } from '../../model/caller.ts';
import { foldName } from '../../model/name.ts';
import type { Organization, OrganizationId } from '../../model/organization.ts';
import type { NewProperty } from '../../model/ports.ts';
import type { Property, PropertyId } from '../../model/property.ts';
import type { PropertyChange } from '../../model/task.ts';
import type { MainDatabase } from './open.ts';
import { createMembership } from './organizations.ts';
import type { Room } from './quotas.ts';
import { organizationOf, propertyOf } from './rows.ts';
import { organizations, properties } from './schema.ts';

type Unreachable = 'organization-unknown' | 'organization-not-yours';
type Untouchable = 'property-gone' | 'property-not-yours';

/** Changes to properties that belong into one transaction; every rule is asked at that moment. */
export type PropertyWriter = {
  readonly create: (
    property: NewProperty,
  ) => Outcome<Property, Unreachable | 'properties-limit' | 'property-name-taken'>;
  readonly update: (
    id: PropertyId,
    change: PropertyChange,
  ) => Outcome<Property, Untouchable | 'property-name-taken'>;
  readonly remove: (id: PropertyId) => Outcome<Property, Untouchable>;
};

/**
 * A writer for one transaction, which the caller has begun: what was looked up for one item holds for the others.
 *
 * @param caller whose permissions count; undefined for the house itself, which may everything
 */
export function beginPropertyWriter(
  database: MainDatabase,
  room: Room,
  caller: Caller | undefined,
  now: Instant,
): PropertyWriter {
  const { orm } = database;
  const isMember = createMembership(database);
  const known = new Map<OrganizationId, Outcome<Organization, Unreachable>>();
  const left = new Map<AccountId, number>();

  function reach(id: OrganizationId): Outcome<Organization, Unreachable> {
    const before = known.get(id);
    if (before !== undefined) return before;
    const isWanted = and(eq(organizations.id, id), isNull(organizations.deletedAt));
    const row = orm.select().from(organizations).where(isWanted).get();
    const found = row === undefined ? refuse('organization-unknown') : judge(organizationOf(row));
    known.set(id, found);
    return found;
  }

  function judge(organization: Organization): Outcome<Organization, 'organization-not-yours'> {
    if (caller === undefined) return done(organization);
    const isInScope = caller.organizationId === undefined || caller.organizationId === organization.id;
    const mayUse = isInScope && isMember(organization.id, caller.accountId);
    return mayUse ? done(organization) : refuse('organization-not-yours');
  }

  function touch(id: PropertyId): Outcome<Property, Untouchable> {
    const isLive = and(eq(properties.id, id), isNull(properties.deletedAt));
    const row = orm.select().from(properties).where(isLive).get();
    if (row === undefined) return refuse('property-gone');
    const reached = reach(row.organizationId as OrganizationId);
    if (reached.ok) return done(propertyOf(row));
    return refuse(reached.problem === 'organization-unknown' ? 'property-gone' : 'property-not-yours');
  }

  function isTaken(name: string, by: Property): boolean {
    const isThere = and(
      eq(properties.organizationId, by.organizationId),
      eq(properties.nameFolded, foldName(name)),
      isNull(properties.deletedAt),
      ne(properties.id, by.id),
    );
    return orm.select({ id: properties.id }).from(properties).where(isThere).get() !== undefined;
  }

  function write(id: PropertyId, values: Partial<typeof properties.$inferInsert>): Property {
    return propertyOf(orm.update(properties).set(values).where(eq(properties.id, id)).returning().get());
  }

  return {
    create(property) {
      const organization = reach(property.organizationId);
      if (!organization.ok) return organization;
      const { ownerId } = organization.value;
      const rest = left.get(ownerId) ?? room.forProperties(ownerId);
      left.set(ownerId, rest);
      const values = { ...property, nameFolded: foldName(property.name), isEnabled: true, createdAt: now };
      if (rest <= 0) return refuse('properties-limit');
      const row = orm.insert(properties).values(values).onConflictDoNothing().returning().get();
      if (row === undefined) return refuse('property-name-taken');
      left.set(ownerId, rest - 1);
      return done(propertyOf(row));
    },
    update(id, change) {
      const property = touch(id);
      if (!property.ok) return property;
      const { name } = change;
      if (name !== undefined && isTaken(name, property.value)) return refuse('property-name-taken');
      if (Object.keys(change).length === 0) return property;
      return done(write(id, name === undefined ? change : { ...change, nameFolded: foldName(name) }));
    },
    remove(id) {
      const property = touch(id);
      return property.ok ? done(write(id, { deletedAt: now })) : property;
    },
  };
}
