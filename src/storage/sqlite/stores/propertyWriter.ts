import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { lazy } from '../../../lib/lazy.ts';
import { done, type Outcome, reject } from '../../../lib/outcome.ts';
import type { Instant } from '../../../lib/time.ts';
import type { AccountId } from '../../../model/account.ts';
import { type Actor, isSystem, isWithinLimits } from '../../../model/actor.ts';
import { foldName } from '../../../model/name.ts';
import type { Organization, OrganizationId } from '../../../model/organization.ts';
import type { Property, PropertyId } from '../../../model/property.ts';
import type { OrganizationProblem, PropertyProblem, PropertyWriter } from '../../propertyWriter.ts';
import type { MainDatabase } from '../open.ts';
import { propertyColumns } from '../rows.ts';
import { properties } from '../schema.ts';
import { createHasAccess } from './membership.ts';
import { createFindOrganization } from './organizations.ts';
import type { RemainingQuotas } from './plans.ts';

/** @param actor the actor whose access is checked */
export type BeginWriter = (actor: Actor, now: Instant) => PropertyWriter;

/**
 * @returns a function that creates a writer for the current transaction. A writer loads each organization and quota once, so it
 *   must not be used after the transaction.
 */
export function createPropertyWriter(database: MainDatabase, remaining: RemainingQuotas): BeginWriter {
  // A server prepares them only on its writer thread.
  const prepared = lazy(() => prepare(database));
  const hasAccess = lazy(() => createHasAccess(database));
  const find = lazy(() => createFindOrganization(database));

  function createCheckAccess(actor: Actor) {
    const checked = new Map<OrganizationId, Outcome<Organization, OrganizationProblem>>();

    /** The limits of an organization's key are checked separately. */
    function isAllowed(id: OrganizationId): boolean {
      return isSystem(actor) || actor.source === 'organization-key' || hasAccess()(id, actor.user);
    }

    function check(organization: Organization | undefined): Outcome<Organization, OrganizationProblem> {
      if (organization === undefined) return reject('organization-unknown');
      const mayUse = isWithinLimits(actor, organization.id) && isAllowed(organization.id);
      return mayUse ? done(organization) : reject('organization-not-yours');
    }

    return (id: OrganizationId): Outcome<Organization, OrganizationProblem> => {
      const result = checked.get(id) ?? check(find()(id));
      checked.set(id, result);
      return result;
    };
  }

  return (actor, now) => {
    const statements = prepared();
    const checkAccess = createCheckAccess(actor);
    const quotas = new Map<AccountId, number>();

    function load(id: PropertyId): Outcome<Property, PropertyProblem> {
      const property = statements.byId.get({ id });
      if (property === undefined) return reject('property-gone');
      const access = checkAccess(property.organizationId);
      if (access.ok) return done(property);
      return reject(access.problem === 'organization-unknown' ? 'property-gone' : 'property-not-yours');
    }

    return {
      create(property) {
        const organization = checkAccess(property.organizationId);
        if (!organization.ok) return organization;
        const { ownerId } = organization.value;
        const quota = quotas.get(ownerId) ?? remaining.properties(ownerId);
        quotas.set(ownerId, quota);
        if (quota <= 0) return reject('properties-limit');
        const nameFolded = foldName(property.name);
        const created = statements.insert.get({ ...property, nameFolded, createdAt: now });
        if (created === undefined) return reject('property-name-taken');
        quotas.set(ownerId, quota - 1);
        return done(created);
      },
      update({ id, change, sitekey }) {
        const property = load(id);
        if (!property.ok) return property;
        const { value: before } = property;
        if (sitekey !== undefined && sitekey !== before.sitekey) return reject('sitekey-read-only');
        const values = { ...before, ...change };
        const nameFolded = foldName(values.name);
        const { organizationId } = before;
        const isTaken =
          change.name !== undefined && statements.byName.get({ id, organizationId, nameFolded });
        if (isTaken) return reject('property-name-taken');
        return done({ before, after: statements.update.get({ ...values, nameFolded }) });
      },
      remove(id) {
        const property = load(id);
        if (property.ok) statements.remove.run({ id, now });
        return property;
      },
    };
  };
}

/** Prepares the statements once, because that takes ten times as long as running them, and a batch has up to 128 items. */
function prepare({ orm }: MainDatabase) {
  const hasId = eq(properties.id, sql.placeholder('id'));
  const isLive = isNull(properties.deletedAt);
  const hasName = and(
    eq(properties.organizationId, sql.placeholder('organizationId')),
    eq(properties.nameFolded, sql.placeholder('nameFolded')),
    isLive,
    ne(properties.id, sql.placeholder('id')),
  );
  const insert = orm.insert(properties).values(PLACEHOLDERS).onConflictDoNothing();
  // The type of `set` does not include placeholders, although it accepts them.
  const update = orm.update(properties).set(PLACEHOLDERS as object);
  const deletedAt = sql`${sql.placeholder('now')}`;
  return {
    byId: orm.select(propertyColumns).from(properties).where(and(hasId, isLive)).prepare(),
    byName: orm.select({ id: properties.id }).from(properties).where(hasName).prepare(),
    /** Returns undefined if the name is taken. */
    insert: insert.returning(propertyColumns).prepare(),
    update: update.where(hasId).returning(propertyColumns).prepare(),
    remove: orm.update(properties).set({ deletedAt }).where(hasId).prepare(),
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
  challenge: sql.placeholder('challenge'),
  validitySeconds: sql.placeholder('validitySeconds'),
  allowsSubdomains: sql.placeholder('allowsSubdomains'),
  allowsLocalhost: sql.placeholder('allowsLocalhost'),
  allowance: sql.placeholder('allowance'),
  isEnabled: sql.placeholder('isEnabled'),
  createdAt: sql.placeholder('createdAt'),
};
