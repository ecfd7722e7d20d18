import { describe, expect, test } from 'bun:test';
import { type Instant, later, MINUTE } from '../../src/lib/time.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { PropertyOrder, PropertySearch } from '../../src/model/ports/property.ts';
import type { PropertyId, Sitekey } from '../../src/model/property.ts';
import { SETTING_FIELDS } from '../../src/model/propertyFields.ts';
import type { TaskId } from '../../src/model/task.ts';
import { userActor } from '../support/actors.ts';
import { expectOk } from '../support/server.ts';
import { addAccount, addOrganization, KEYS_MAX, newKey, newProperty, now, type OpenWorld } from './world.ts';

/** The revisions of a property without rules. */
const NO_RULES = { rulesRevision: null, installationRevision: null };

/** The contract of PropertyStore and PropertyLookup. */
export function describePropertyStore(name: string, open: OpenWorld): void {
  describe(`property store (${name})`, () => {
    test('stores all settings, and finds the property by its sitekey', async () => {
      const world = await open();
      const { id: organizationId, ownerId } = await addOrganization(world);
      const given = newProperty(organizationId, {
        name: 'Laden №1',
        domain: 'xn--mnchen-3ya.de',
        level: 255,
        growth: 'fast',
        challenge: 'argon2id',
        validitySeconds: 172_800,
        allowsSubdomains: true,
        allowsLocalhost: true,
        allowance: 1_000_000,
      });
      const created = expectOk(await world.properties.create(given, now));
      expect(created).toEqual({
        ...given,
        id: created.id,
        createdAt: now,
        attackUntil: 0 as Instant,
        offlineRotations: 0,
      });
      expect(await world.properties.bySitekey(given.sitekey)).toEqual({ ...created, ownerId, ...NO_RULES });
    });

    test.each(SETTING_FIELDS.challenge.choices)('stores the kind of work %s', async (challenge) => {
      const world = await open();
      const { id } = await addOrganization(world);
      const created = expectOk(await world.properties.create(newProperty(id, { challenge }), now));
      expect(created.challenge).toBe(challenge);
      expect(await world.properties.bySitekey(created.sitekey)).toMatchObject({ challenge });
    });

    test('stores settings that are off and settings that are on', async () => {
      const world = await open();
      const { id } = await addOrganization(world);
      const given = newProperty(id, { allowsSubdomains: false, allowsLocalhost: true });
      const created = expectOk(await world.properties.create(given, now));
      expect(created).toMatchObject({ allowsSubdomains: false, allowsLocalhost: true });
    });

    test('shows the later end of attack mode of the property and of its organization', async () => {
      const world = await open();
      const { id: organizationId } = await addOrganization(world);
      const created = expectOk(await world.properties.create(newProperty(organizationId), now));
      const ends = async () => [
        (await world.properties.bySitekey(created.sitekey))?.attackUntil,
        (await world.properties.byId(created.id))?.attackUntil,
      ];
      const never = 0 as Instant;
      const start = (minutes: number) => ({ until: later(now, minutes * MINUTE), unlessBefore: never });
      const end = { until: never, unlessBefore: later(now, MINUTE) };
      expect(await world.organizations.setAttack(organizationId, start(5), undefined)).toBe(true);
      expect(await ends()).toEqual([later(now, 5 * MINUTE), later(now, 5 * MINUTE)]);
      // A change of the property does not store the end of the organization as its own.
      expectOk(await world.properties.setEnabled(created.id, false, now));
      expect(await world.properties.setAttack(created.id, end, [])).toBe(false);
      expect(await world.properties.setAttack(created.id, start(9), [])).toBe(true);
      expect(await ends()).toEqual([later(now, 9 * MINUTE), later(now, 9 * MINUTE)]);
      expect(await world.properties.setAttack(created.id, end, [])).toBe(true);
      expect(await ends()).toEqual([later(now, 5 * MINUTE), later(now, 5 * MINUTE)]);
      expect(await world.organizations.setAttack(organizationId, end, undefined)).toBe(true);
      expect(await ends()).toEqual([never, never]);
      expect((await world.organizations.byId(organizationId))?.attackUntil).toBe(never);
    });

    test('replaces the secret for offline verification only if the given number of replacements is current', async () => {
      const world = await open();
      const { id: organizationId } = await addOrganization(world);
      const [one, other] = [
        expectOk(await world.properties.create(newProperty(organizationId), now)),
        expectOk(await world.properties.create(newProperty(organizationId), now)),
      ];
      const rotations = async () => [
        (await world.properties.bySitekey(one.sitekey))?.offlineRotations,
        (await world.properties.byId(other.id))?.offlineRotations,
      ];
      expect(await world.properties.rotateOffline(one.id, 1, [])).toBe(false);
      expect(await world.properties.rotateOffline(one.id, 0, [])).toBe(true);
      expect(await world.properties.rotateOffline(one.id, 0, [])).toBe(false);
      expect(await rotations()).toEqual([1, 0]);
      // Other changes of the property keep the number.
      expectOk(await world.properties.setEnabled(one.id, false, now));
      expect(await world.properties.rotateOffline(one.id, 1, [])).toBe(true);
      expect(await rotations()).toEqual([2, 0]);
      expectOk(await world.organizations.remove(organizationId, now));
      expect(await world.properties.rotateOffline(one.id, 2, [])).toBe(false);
    });

    test('finds several properties of one organization by their sitekeys', async () => {
      const world = await open();
      const [{ id: one }, { id: other }] = [await addOrganization(world), await addOrganization(world)];
      const add = async (id: OrganizationId) => expectOk(await world.properties.create(newProperty(id), now));
      const [a, b, foreign] = [await add(one), await add(one), await add(other)];
      await add(one);
      const unknown = 'f'.repeat(32) as Sitekey;
      const wanted = [b.sitekey, foreign.sitekey, unknown, a.sitekey];
      const found = await world.properties.bySitekeys(one, wanted);
      expect(found.toSorted((x, y) => x.id - y.id)).toEqual([a, b]);
      expect(await world.properties.bySitekeys(one, [])).toEqual([]);
      expectOk(await world.organizations.remove(one, now));
      expect(await world.properties.bySitekeys(one, wanted)).toEqual([]);
    });

    test('lists the properties of an organization after another one', async () => {
      const world = await open();
      const [{ id: one }, { id: other }] = [await addOrganization(world), await addOrganization(world)];
      const add = async (id: OrganizationId) => expectOk(await world.properties.create(newProperty(id), now));
      const [a, , b, c] = [await add(one), await add(other), await add(one), await add(one)];
      expect(await world.properties.listAfter(one, undefined, 2)).toEqual([a, b]);
      expect(await world.properties.listAfter(one, b.id, 2)).toEqual([c]);
      expect(await world.properties.listAfter(one, c.id, 2)).toEqual([]);
    });

    test('enables and disables a property repeatedly, and changes nothing else', async () => {
      const world = await open();
      const { id: organizationId, ownerId } = await addOrganization(world);
      const created = expectOk(await world.properties.create(newProperty(organizationId), now));
      for (const isEnabled of [false, false, true, false]) {
        const expected = { ...created, isEnabled };
        expect(expectOk(await world.properties.setEnabled(created.id, isEnabled, now))).toEqual(expected);
        expect(await world.properties.bySitekey(created.sitekey)).toEqual({
          ...expected,
          ownerId,
          ...NO_RULES,
        });
      }
    });

    test('does not enable a deleted or unknown property', async () => {
      const world = await open();
      const { id: organizationId } = await addOrganization(world);
      const { id } = expectOk(await world.properties.create(newProperty(organizationId), now));
      expectOk(await world.organizations.remove(organizationId, now));
      for (const gone of [id, 999_999 as PropertyId]) {
        const rejected = { ok: false, problem: 'property-gone' };
        expect(await world.properties.setEnabled(gone, true, now)).toEqual(rejected as never);
      }
    });

    test('does not find an unknown sitekey', async () => {
      const world = await open();
      expect(await world.properties.bySitekey('f'.repeat(32) as Sitekey)).toBeUndefined();
    });

    test('rejects a name that another property of the organization has, ignoring case', async () => {
      const world = await open();
      const [one, other] = [await addOrganization(world), await addOrganization(world)];
      expectOk(await world.properties.create(newProperty(one.id, { name: 'Überall' }), now));
      const again = await world.properties.create(newProperty(one.id, { name: 'ÜBERALL' }), now);
      expect(again).toEqual({ ok: false, problem: 'property-name-taken' });
      expect(await world.properties.create(newProperty(other.id, { name: 'Überall' }), now)).toMatchObject({
        ok: true,
      });
      expect(await world.properties.list(one.id)).toHaveLength(1);
    });

    test('lists the properties of one organization, or all, oldest first', async () => {
      const world = await open();
      const [one, other] = [await addOrganization(world), await addOrganization(world)];
      const created = [];
      for (const { id } of [one, other, one]) {
        created.push(expectOk(await world.properties.create(newProperty(id), now)));
      }
      const [a, b, c] = created;
      expect(await world.properties.list(one.id)).toEqual([a, c] as never);
      expect(await world.properties.list(other.id)).toEqual([b] as never);
      expect(await world.properties.list()).toEqual([a, b, c] as never);
    });

    test('rejects a property of an unknown organization', async () => {
      const world = await open();
      const orphan = await world.properties.create(newProperty(12_345 as OrganizationId), now);
      expect(orphan).toEqual({ ok: false, problem: 'organization-unknown' });
    });

    test('finds a property by its id until it is deleted', async () => {
      const world = await open();
      const { id: organizationId } = await addOrganization(world);
      const created = expectOk(await world.properties.create(newProperty(organizationId), now));
      expect(await world.properties.byId(created.id)).toEqual(created);
      expect(await world.properties.byId(999 as PropertyId)).toBeUndefined();
      await world.organizations.remove(organizationId, now);
      expect(await world.properties.byId(created.id)).toBeUndefined();
    });

    test('creates a property only for an actor with access to the organization', async () => {
      const world = await open();
      const [owner, outsider] = [await addAccount(world), await addAccount(world)];
      const [one, two] = [await addOrganization(world, owner), await addOrganization(world, owner)];
      const create = async (id: AccountId, organizationId?: OrganizationId) =>
        (await world.properties.create(newProperty(one.id), now, userActor({ id }, { organizationId }))).ok;
      expect(await create(owner.id)).toBe(true);
      expect(await create(owner.id, one.id)).toBe(true);
      expect(await create(owner.id, two.id)).toBe(false);
      expect(await create(outsider.id)).toBe(false);
      expect(await world.properties.list()).toHaveLength(2);
    });

    test('lists part of the properties of one organization in every order', async () => {
      const world = await open();
      const [one, other] = [await addOrganization(world), await addOrganization(world)];
      // The order is that of the folded names; otherwise, uppercase letters would come first.
      for (const name of ['b', 'D', 'a', 'C', 'é']) {
        expectOk(await world.properties.create(newProperty(one.id, { name }), now));
        expectOk(await world.properties.create(newProperty(other.id, { name }), now));
      }
      const namesIn = async (order: PropertyOrder, offset = 0, limit = 9) => {
        const found = await world.properties.slice(one.id, { order, offset, limit });
        return found.map(({ name }) => name).join('');
      };
      expect(await namesIn('date_asc')).toBe('bDaCé');
      expect(await namesIn('date_desc')).toBe('éCaDb');
      expect(await namesIn('name_asc')).toBe('abCDé');
      expect(await namesIn('name_desc')).toBe('éDCba');
      expect(await namesIn('name_asc', 1, 2)).toBe('bC');
      expect(await namesIn('date_desc', 4, 2)).toBe('b');
      expect(await namesIn('date_asc', 5, 2)).toBe('');
    });

    test('searches one organization by parts of the name, domain, and sitekey, and returns part of the matches', async () => {
      const world = await open();
      const [one, other] = [await addOrganization(world), await addOrganization(world)];
      const add = async (organizationId: OrganizationId, name: string, domain: string) =>
        expectOk(await world.properties.create(newProperty(organizationId, { name, domain }), now));
      const shop = await add(one.id, 'Büro 100%', 'shop.example.com');
      await add(one.id, 'Blog', 'blog.example.org');
      await add(one.id, 'Shop_2', 'example.net');
      await add(other.id, 'Shop', 'shop.example.com');
      const find = async (wanted: Partial<PropertySearch>, offset = 0, limit = 9) => {
        const never = { name: '!', domain: '!', sitekey: '!' };
        const slice = { order: 'name_asc', offset, limit } as const;
        const found = await world.properties.search(one.id, { ...never, ...wanted }, slice);
        return found.map(({ name }) => name);
      };
      expect(await find({ name: 'büro' })).toEqual(['Büro 100%']);
      expect(await find({ domain: 'example.' })).toEqual(['Blog', 'Büro 100%', 'Shop_2']);
      expect(await find({ sitekey: shop.sitekey.slice(20) })).toEqual(['Büro 100%']);
      expect(await find({ name: 'shop', domain: 'shop' })).toEqual(['Büro 100%', 'Shop_2']);
      // There are no wildcards.
      expect([await find({ name: '%' }), await find({ name: '_' })]).toEqual([['Büro 100%'], ['Shop_2']]);
      expect(await find({ name: 'nothing' })).toEqual([]);
      expect(await find({ name: '\0', domain: 'b\0', sitekey: '\0' })).toEqual([]);
      expect(await find({ domain: 'example.' }, 1, 1)).toEqual(['Büro 100%']);
      await world.organizations.remove(other.id, now);
      expect(await find({ name: 'shop' })).toEqual(['Shop_2']);
    });

    test('purges old deleted organizations with their properties, members, keys, and tasks', async () => {
      const world = await open();
      const owner = await addAccount(world);
      const [kept, gone] = [await addOrganization(world, owner), await addOrganization(world, owner)];
      for (const { id } of [kept, gone]) expectOk(await world.properties.create(newProperty(id), now));
      await world.organizations.addMember(gone.id, (await addAccount(world)).id, now);
      const limited = newKey(owner, { organizationId: gone.id });
      const key = expectOk(await world.apiKeys.create(limited, KEYS_MAX, now));
      const other = expectOk(
        await world.apiKeys.create(newKey(owner, { organizationId: kept.id }), KEYS_MAX, now),
      );
      const actor = userActor(owner, { organizationId: gone.id, keyId: key.id });
      const order = { kind: 'delete-properties', items: [] } as const;
      expectOk(
        await world.tasks.enqueue(
          { id: 'f'.repeat(32) as TaskId, actor, order },
          { unfinished: 9, total: 9 },
          now,
        ),
      );
      expectOk(await world.organizations.remove(gone.id, now));
      const purge = async (before: Instant) => {
        let all = 0;
        for (let some = -1; some !== 0; all += some) some = await world.properties.purge(before);
        return all;
      };
      expect(await purge(now)).toBe(0);
      // A property and its organization.
      expect(await purge((now + 1) as Instant)).toBe(2);
      expect(await world.apiKeys.byId(key.id)).toBeUndefined();
      expect(await world.apiKeys.byId(other.id)).toEqual(other);
      expect(await world.properties.list(kept.id)).toHaveLength(1);
    });
  });
}
