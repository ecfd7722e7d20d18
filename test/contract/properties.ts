import { describe, expect, test } from 'bun:test';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { expectDone } from '../support/server.ts';
import { addOrganization, newProperty, now, type OpenWorld } from './world.ts';

/** What any store and look-up of properties promise. */
export function describePropertyStore(name: string, open: OpenWorld): void {
  describe(`property store (${name})`, () => {
    test('keeps every setting, and finds the property by its sitekey', async () => {
      const world = open();
      const { id: organizationId } = await addOrganization(world);
      const given = newProperty(organizationId, {
        name: 'Laden №1',
        domain: 'xn--mnchen-3ya.de',
        level: 255,
        growth: 'fast',
        validitySeconds: 172_800,
        allowsSubdomains: true,
        allowsLocalhost: true,
        allowance: 1_000_000,
      });
      const created = expectDone(await world.properties.create(given, now));
      expect(created).toEqual({ ...given, id: created.id, isEnabled: true, createdAt: now });
      expect(await world.properties.bySitekey(given.sitekey)).toEqual(created);
    });

    test('keeps settings that are off apart from those that are on', async () => {
      const world = open();
      const { id } = await addOrganization(world);
      const given = newProperty(id, { allowsSubdomains: false, allowsLocalhost: true });
      const created = expectDone(await world.properties.create(given, now));
      expect(created).toMatchObject({ allowsSubdomains: false, allowsLocalhost: true });
    });

    test('knows nothing of other sitekeys', async () => {
      const world = open();
      expect(await world.properties.bySitekey('f'.repeat(32) as Sitekey)).toBeUndefined();
    });

    test('refuses a name that is taken within the organization, in any case', async () => {
      const world = open();
      const [one, other] = [await addOrganization(world), await addOrganization(world)];
      expectDone(await world.properties.create(newProperty(one.id, { name: 'Überall' }), now));
      const again = await world.properties.create(newProperty(one.id, { name: 'ÜBERALL' }), now);
      expect(again).toEqual({ ok: false, problem: 'property-name-taken' });
      expect(await world.properties.create(newProperty(other.id, { name: 'Überall' }), now)).toMatchObject({
        ok: true,
      });
      expect(await world.properties.list(one.id)).toHaveLength(1);
    });

    test('lists those of one organization, or all, oldest first', async () => {
      const world = open();
      const [one, other] = [await addOrganization(world), await addOrganization(world)];
      const created = [];
      for (const { id } of [one, other, one]) {
        created.push(expectDone(await world.properties.create(newProperty(id), now)));
      }
      const [a, b, c] = created;
      expect(await world.properties.list(one.id)).toEqual([a, c] as never);
      expect(await world.properties.list(other.id)).toEqual([b] as never);
      expect(await world.properties.list()).toEqual([a, b, c] as never);
    });

    test('does not take a property of an organization that there is not', async () => {
      const world = open();
      const orphan = world.properties.create(newProperty(12_345 as OrganizationId), now);
      await expect(orphan).rejects.toThrow();
      expect(await world.properties.list()).toEqual([]);
    });
  });
}
