import { and, asc, eq, getTableColumns, gt, isNull, lte, or } from 'drizzle-orm';
import type { Instant } from '../../lib/time.ts';
import type { ShareLinkStore } from '../../model/ports/shareLink.ts';
import { propertyColumns } from '../entities.ts';
import type { StoreDatabase } from '../executor.ts';
import { countRows } from '../queries.ts';
import type { Changes } from '../recordedChange.ts';
import { accounts, organizations, properties, shareLinks } from '../schema.ts';

const { tokenHash: _, ...COLUMNS } = getTableColumns(shareLinks);
const { expiresAt, id, propertyId, tokenHash } = shareLinks;

const isOpen = (now: Instant) => or(isNull(expiresAt), gt(expiresAt, now));

/** @see ShareLinkStore */
export function createShareLinkStore({ orm }: StoreDatabase, { change }: Changes): ShareLinkStore {
  return {
    create: (link, limit, entry) =>
      change(entry, async (tx) => {
        const isOfProperty = eq(propertyId, link.propertyId);
        // Locks the property, so that simultaneous calls do not exceed the limit.
        await tx
          .select({ id: properties.id })
          .from(properties)
          .where(eq(properties.id, link.propertyId))
          .for('update');
        await tx.delete(shareLinks).where(and(isOfProperty, lte(expiresAt, link.createdAt)));
        if ((await countRows(tx, shareLinks, isOfProperty)) >= limit) return false;
        await tx.insert(shareLinks).values(link);
        return true;
      }),
    list: (property, now) =>
      orm
        .select({ ...COLUMNS, name: accounts.name, email: accounts.email })
        .from(shareLinks)
        .innerJoin(accounts, eq(accounts.id, shareLinks.creatorId))
        .where(and(eq(propertyId, property), isOpen(now)))
        .orderBy(asc(id)),
    async propertyOf(hash, now) {
      const isLive = and(isNull(properties.deletedAt), isNull(organizations.deletedAt));
      const [property] = await orm
        .select(propertyColumns)
        .from(shareLinks)
        .innerJoin(properties, eq(properties.id, propertyId))
        .innerJoin(organizations, eq(organizations.id, properties.organizationId))
        .where(and(eq(tokenHash, hash), isOpen(now), isLive));
      return property;
    },
    revoke: (property, link, entry) =>
      change(entry, async (tx) => {
        const isWanted = and(eq(id, link), eq(propertyId, property));
        return (await tx.delete(shareLinks).where(isWanted).returning({ id })).length > 0;
      }),
  };
}
