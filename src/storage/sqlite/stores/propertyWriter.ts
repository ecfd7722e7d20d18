import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { done, type Outcome, refuse } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import { type Actor, isWithinLimits } from '../../../model/actor.ts';
import { foldName } from '../../../model/name.ts';
import type { Organization, OrganizationId } from '../../../model/organization.ts';
import type { NewProperty } from '../../../model/ports/property.ts';
import type { Property, PropertyId } from '../../../model/property.ts';
import type { PropertyUpdate } from '../../../model/task.ts';
import type { MainDatabase } from '../open.ts';
import { propertyOf } from '../rows.ts';
import { properties } from '../schema.ts';
import { createFindOrganization, createMembership } from './organizations.ts';
import type { Room } from './plans.ts';

type Unreachable = 'organization-unknown' | 'organization-not-yours';
type Untouchable = 'property-gone' | 'property-not-yours';

/** A property as it was and as it is now. */
export type Updated = { readonly before: Property; readonly after: Property };

/** Changes to properties that belong into one transaction; every rule is asked at that moment. */
export type PropertyWriter = {
  readonly create: (
    property: NewProperty,
  ) => Outcome<Property, Unreachable | 'properties-limit' | 'property-name-taken'>;
  readonly update: (
    update: PropertyUpdate,
  ) => Outcome<Updated, Untouchable | 'sitekey-read-only' | 'property-name-taken'>;
  readonly remove: (id: PropertyId) => Outcome<Property, Untouchable>;
};

/** Begins a writer. @param actor whose access is checked; undefined for the installation itself, which may do everything */
export type BeginWriter = (actor: Actor | undefined, now: Instant) => PropertyWriter;

/**
 * Writers are for one transaction each, which their user has begun: what was looked up for one item holds for the
 * others.
 */
export function createPropertyWriter(database: MainDatabase, room: Room): BeginWriter {
  const statements = prepare(database);
  const isMember = createMembership(database);
  const find = createFindOrganization(database);

  function createReach(actor: Actor | undefined) {
    const known = new Map<OrganizationId, Outcome<Organization, Unreachable>>();

    function judge(organization: Organization | undefined): Outcome<Organization, Unreachable> {
      if (organization === undefined) return refuse('organization-unknown');
      if (actor === undefined) return done(organization);
      const isAllowed = actor.user === undefined || isMember(organization.id, actor.user);
      const mayUse = isAllowed && isWithinLimits(actor, organization.id);
      return mayUse ? done(organization) : refuse('organization-not-yours');
    }

    return (id: OrganizationId): Outcome<Organization, Unreachable> => {
      const found = known.get(id) ?? judge(find(id));
      known.set(id, found);
      return found;
    };
  }

  return (actor, now) => {
    const reach = createReach(actor);
    const left = new Map<AccountId, number>();

    function touch(id: PropertyId): Outcome<Property, Untouchable> {
      const property = statements.byId(id);
      if (property === undefined) return refuse('property-gone');
      const reached = reach(property.organizationId);
      if (reached.ok) return done(property);
      return refuse(reached.problem === 'organization-unknown' ? 'property-gone' : 'property-not-yours');
    }

    return {
      create(property) {
        const organization = reach(property.organizationId);
        if (!organization.ok) return organization;
        const { ownerId } = organization.value;
        const rest = left.get(ownerId) ?? room.forProperties(ownerId);
        left.set(ownerId, rest);
        if (rest <= 0) return refuse('properties-limit');
        const created = statements.insert(property, now);
        if (created === undefined) return refuse('property-name-taken');
        left.set(ownerId, rest - 1);
        return done(created);
      },
      update({ id, change, sitekey }) {
        const property = touch(id);
        if (!property.ok) return property;
        const { value: before } = property;
        if (sitekey !== undefined && sitekey !== before.sitekey) return refuse('sitekey-read-only');
        const { name } = change;
        if (name !== undefined && statements.isTaken(name, before)) return refuse('property-name-taken');
        return done({ before, after: statements.update({ ...before, ...change }) });
      },
      remove(id) {
        const property = touch(id);
        if (property.ok) statements.remove(id, now);
        return property;
      },
    };
  };
}

/** Built once: building costs ten times what running does, and a batch has 128 items. */
function prepare({ orm }: MainDatabase) {
  const isIt = eq(properties.id, sql.placeholder('id'));
  const byId = orm
    .select()
    .from(properties)
    .where(and(isIt, isNull(properties.deletedAt)))
    .prepare();
  const byName = orm
    .select({ id: properties.id })
    .from(properties)
    .where(
      and(
        eq(properties.organizationId, sql.placeholder('organizationId')),
        eq(properties.nameFolded, sql.placeholder('nameFolded')),
        isNull(properties.deletedAt),
        ne(properties.id, sql.placeholder('id')),
      ),
    )
    .prepare();
  const insert = orm.insert(properties).values(PLACEHOLDERS).onConflictDoNothing().returning().prepare();
  // The type of `set` knows no placeholders, though it takes them.
  const update = orm
    .update(properties)
    .set(PLACEHOLDERS as object)
    .where(isIt)
    .returning()
    .prepare();
  const remove = orm
    .update(properties)
    .set({ deletedAt: sql`${sql.placeholder('now')}` })
    .where(isIt)
    .prepare();
  return {
    byId(id: PropertyId): Property | undefined {
      const row = byId.get({ id });
      return row && propertyOf(row);
    },
    isTaken(name: string, { id, organizationId }: Property): boolean {
      return byName.get({ id, organizationId, nameFolded: foldName(name) }) !== undefined;
    },
    /** @returns undefined where the name is taken */
    insert(property: NewProperty, now: Instant): Property | undefined {
      const nameFolded = foldName(property.name);
      const row = insert.get({ ...property, nameFolded, createdAt: now });
      return row && propertyOf(row);
    },
    update(property: Property): Property {
      return propertyOf(update.get({ ...property, nameFolded: foldName(property.name) }));
    },
    remove(id: PropertyId, now: Instant): void {
      remove.run({ id, now });
    },
  };
}

const PLACEHOLDERS = {
  organizationId: sql.placeholder('organizationId'),
  name: sql.placeholder('name'),
  nameFolded: sql.placeholder('nameFolded'),
  domain: sql.placeholder('domain'),
  sitekey: sql.placeholder('sitekey'),
  level: sql.placeholder('level'),
  growth: sql.placeholder('growth'),
  validitySeconds: sql.placeholder('validitySeconds'),
  allowsSubdomains: sql.placeholder('allowsSubdomains'),
  allowsLocalhost: sql.placeholder('allowsLocalhost'),
  allowance: sql.placeholder('allowance'),
  isEnabled: sql.placeholder('isEnabled'),
  createdAt: sql.placeholder('createdAt'),
};
