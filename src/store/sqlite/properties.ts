import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm';
import { done, refuse } from '../../lib/outcome.ts';
import { foldName } from '../../model/name.ts';
import type { PropertyLookup, PropertyStore } from '../../model/ports.ts';
import type { MainDatabase } from './open.ts';
import { propertyOf } from './rows.ts';
import { organizations, properties } from './schema.ts';

/** @see PropertyStore */
export function createPropertyStore({ orm }: MainDatabase): PropertyStore & PropertyLookup {
  const isLive = and(isNull(properties.deletedAt), isNull(organizations.deletedAt));

  function selectLive() {
    return orm
      .select(getTableColumns(properties))
      .from(properties)
      .innerJoin(organizations, eq(organizations.id, properties.organizationId));
  }

  return {
    async create(property, now) {
      const row = orm
        .insert(properties)
        .values({ ...property, nameFolded: foldName(property.name), isEnabled: true, createdAt: now })
        .onConflictDoNothing()
        .returning()
        .get();
      return row === undefined ? refuse('property-name-taken') : done(propertyOf(row));
    },
    async list(organizationId) {
      const isWanted =
        organizationId === undefined ? isLive : and(isLive, eq(properties.organizationId, organizationId));
      return selectLive().where(isWanted).orderBy(asc(properties.id)).all().map(propertyOf);
    },
    bySitekey(sitekey) {
      const row = selectLive()
        .where(and(isLive, eq(properties.sitekey, sitekey)))
        .get();
      return row && propertyOf(row);
    },
  };
}
