import { describe, expect, test } from 'bun:test';
import { DAY, type Instant, later } from '../../src/lib/time.ts';
import type { NewShareLink } from '../../src/model/ports/shareLink.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { ShareLinkId } from '../../src/model/shareLink.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, addOrganization, newProperty, now, type OpenWorld, type World } from './world.ts';

const LIMIT = 2;

/** A link of a new property, whose owner creates it. */
export async function newShareLink(world: World, change: Partial<NewShareLink> = {}): Promise<NewShareLink> {
  const creator = await addAccount(world);
  const { id: organizationId } = await addOrganization(world, creator);
  const { id: propertyId } = expectOk(await world.properties.create(newProperty(organizationId), now));
  const hash = { tokenHash: propertyId.toString(16).padStart(64, 'a'), lastFour: 'AbCd' };
  return {
    propertyId,
    creatorId: creator.id,
    ...hash,
    createdAt: now,
    expiresAt: later(now, DAY),
    ...change,
  };
}

/** The contract of ShareLinkStore. */
export function describeShareLinkStore(name: string, open: OpenWorld): void {
  describe(`share link store (${name})`, () => {
    test('lists links without their hashes, and finds the property by the hash until the link expires', async () => {
      const world = await open();
      const link = await newShareLink(world);
      const { tokenHash, ...given } = link;
      expect(await world.shareLinks.create(link, LIMIT)).toBe(true);
      const endless = { ...link, tokenHash: 'b'.repeat(64), expiresAt: null };
      expect(await world.shareLinks.create(endless, LIMIT)).toBe(true);
      const creator = await world.accounts.byId(link.creatorId);
      const shown = { ...given, name: creator?.name ?? '', email: creator?.email ?? '' };
      const id = expect.any(Number) as unknown as ShareLinkId;
      const found = await world.shareLinks.list(link.propertyId, now);
      expect(found).toEqual([
        { ...shown, id },
        { ...shown, id, expiresAt: null },
      ]);
      const end = later(now, DAY);
      expect(await world.shareLinks.list(link.propertyId, end)).toHaveLength(1);
      const property = await world.properties.byId(link.propertyId);
      expect(await world.shareLinks.propertyOf(tokenHash, later(end, -1))).toEqual(property);
      expect(await world.shareLinks.propertyOf(tokenHash, end)).toBeUndefined();
      expect(await world.shareLinks.propertyOf(endless.tokenHash, end)).toEqual(property);
      expect(await world.shareLinks.propertyOf('c'.repeat(64), now)).toBeUndefined();
    });

    test('limits the links of a property that have not expired', async () => {
      const world = await open();
      const link = await newShareLink(world);
      const create = (digit: string, createdAt: Instant) =>
        world.shareLinks.create({ ...link, tokenHash: digit.repeat(64), createdAt }, LIMIT);
      expect(await Promise.all(['1', '2', '3'].map((digit) => create(digit, now)))).toContain(false);
      expect(await world.shareLinks.list(link.propertyId, now)).toHaveLength(LIMIT);
      expect(await world.shareLinks.create(await newShareLink(world), LIMIT)).toBe(true);
      expect(await create('4', later(now, DAY))).toBe(true);
    });

    test('revokes only links of the given property', async () => {
      const world = await open();
      const link = await newShareLink(world);
      await world.shareLinks.create(link, LIMIT);
      const [{ id } = { id: 0 as ShareLinkId }] = await world.shareLinks.list(link.propertyId, now);
      expect(await world.shareLinks.revoke((link.propertyId + 1) as PropertyId, id)).toBe(false);
      expect(await world.shareLinks.propertyOf(link.tokenHash, now)).toBeDefined();
      expect(await world.shareLinks.revoke(link.propertyId, id)).toBe(true);
      expect(await world.shareLinks.propertyOf(link.tokenHash, now)).toBeUndefined();
      expect(await world.shareLinks.revoke(link.propertyId, id)).toBe(false);
    });

    test('finds no property of a deleted organization, and deletes the links with the property', async () => {
      const world = await open();
      const link = await newShareLink(world);
      await world.shareLinks.create(link, LIMIT);
      const organizationId = (await world.properties.byId(link.propertyId))?.organizationId;
      if (organizationId === undefined) throw new Error('no property');
      expectOk(await world.organizations.remove(organizationId, now));
      expect(await world.shareLinks.propertyOf(link.tokenHash, now)).toBeUndefined();
      while ((await world.properties.purge(later(now, 1))) > 0);
      expect(await world.shareLinks.list(link.propertyId, now)).toEqual([]);
    });
  });
}
