import { describe, expect, test } from 'bun:test';
import { DAY, type Instant, later } from '../../src/lib/time.ts';
import type { AccountId } from '../../src/model/account.ts';
import type { AuditEntry, AuditFilter, AuditId } from '../../src/model/audit.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import { addAccount, addOrganization, now, type OpenWorld, type World } from './world.ts';

const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  at: now,
  accountId: 1 as AccountId,
  actor: 'anna@example.com',
  source: 'portal',
  address: '203.0.113.7',
  action: 'property-created',
  organizationId: undefined,
  object: 'Shop',
  ...change,
});

async function objects({ audit }: World, filter: AuditFilter): Promise<string[]> {
  return (await audit.page(filter, undefined, 100)).map(({ object }) => object);
}

/** The contract of every audit log store. */
export function describeAuditStore(name: string, open: OpenWorld): void {
  describe(`audit store (${name})`, () => {
    test('is empty at first', async () => {
      expect(await (await open()).audit.page({}, undefined, 10)).toEqual([]);
    });

    test('stores entries whose account and organization do not exist', async () => {
      const { audit } = await open();
      const full = entry({ organizationId: 999 as OrganizationId });
      const bare = entry({ accountId: undefined, address: undefined, source: 'command-line', object: '' });
      await audit.append(full);
      await audit.append(bare);
      const [second, first] = await audit.page({}, undefined, 10);
      expect(first).toEqual({ ...full, id: first?.id as AuditId });
      expect(second).toEqual({ ...bare, id: second?.id as AuditId });
    });

    test('replaces surrogates without their other half', async () => {
      const { audit } = await open();
      // They were stored as invalid UTF-8, or were rejected.
      await audit.append(entry({ object: 'a\ud800b\udc00' }));
      expect(await audit.page({}, undefined, 1)).toMatchObject([{ object: 'a\ufffdb\ufffd' }]);
      expect(await audit.page({ object: 'B' }, undefined, 1)).toHaveLength(1);
    });

    test('lists entries page by page, newest first, unaffected by new entries', async () => {
      const { audit } = await open();
      for (const object of ['a', 'b', 'c', 'd', 'e']) await audit.append(entry({ object }));
      const seen: string[] = [];
      let before: AuditId | undefined;
      for (let page = 0; page < 3; page++) {
        const found = await audit.page({}, before, 2);
        seen.push(...found.map(({ object }) => object));
        before = found.at(-1)?.id;
        await audit.append(entry({ object: 'new' }));
      }
      expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
      expect(await audit.page({}, before, 2)).toEqual([]);
    });

    test.each<[string, AuditFilter, string[]]>([
      ['an account', { accountId: 2 as AccountId }, ['two']],
      ['an organization', { organizationId: 7 as OrganizationId }, ['seven']],
      ['an action', { actions: ['key-revoked'] }, ['revoked']],
      ['several actions', { actions: ['key-revoked', 'key-rotated'] }, ['rotated', 'revoked']],
      ['nothing for no actions', { actions: [] }, []],
      ['a part of the object', { object: 'WO' }, ['two']],
      ['no object by a part of the actor', { object: 'anna' }, []],
      ['no actor by a part of the object', { actor: 'two' }, []],
      ['nothing across the actor and the object', { object: 'com\nt' }, []],
      ['a part of the actor', { actor: 'École' }, ['french']],
      // An entry shows an address in one spelling, and a browser or another program the other one.
      [
        'both spellings of the actor, from ASCII',
        { actor: 'a@xn--mnchen-3ya.example' },
        ['ascii', 'unicode'],
      ],
      ['both spellings of the actor, from Unicode', { actor: 'A@münchen.example' }, ['ascii', 'unicode']],
      [
        'both spellings of the object',
        { object: 'a@xn--mnchen-3ya.example' },
        ['a@münchen.example, an administrator'],
      ],
      ['characters with a meaning in SQL patterns', { object: '100%_\\' }, ['100%_\\']],
      ['nothing for a pattern', { object: '%' + '%' }, []],
      ['nothing for a null character', { object: 'two\0' }, []],
      ['a start time (inclusive)', { from: later(now, 2) }, ['later']],
      ['an end time (exclusive)', { to: now }, ['earlier']],
      ['a time range and an action', { from: now, to: later(now, 1), actions: ['key-revoked'] }, ['revoked']],
      ['nothing if one condition is not met', { accountId: 2 as AccountId, actions: ['key-revoked'] }, []],
    ])('finds %s', async (_, filter, expected) => {
      const world = await open();
      const kept = [
        entry({ object: 'two', accountId: 2 as AccountId }),
        entry({ object: 'seven', organizationId: 7 as OrganizationId }),
        entry({ object: 'revoked', action: 'key-revoked' }),
        entry({ object: 'rotated', action: 'key-rotated' }),
        entry({ object: 'french', actor: 'ÉCOLE@example.com' }),
        entry({ object: 'unicode', actor: 'a@münchen.example' }),
        entry({ object: 'ascii', actor: 'a@xn--mnchen-3ya.example' }),
        entry({ object: 'a@münchen.example, an administrator' }),
        entry({ object: '100%_\\' }),
        entry({ object: 'later', at: later(now, 2) }),
        entry({ object: 'earlier', at: later(now, -1) }),
      ];
      for (const one of kept) await world.audit.append(one);
      expect(await objects(world, filter)).toEqual(expected);
    });

    test('shows a reader only the entries of its organizations and its own actions', async () => {
      const world = await open();
      const [reader, other] = [await addAccount(world), await addAccount(world)];
      const owned = await addOrganization(world, reader);
      const shared = await addOrganization(world, other);
      const foreign = await addOrganization(world, other);
      await world.organizations.addMember(shared.id, reader.id, now);
      const by = (object: string, accountId: AccountId, organizationId?: OrganizationId) =>
        world.audit.append(entry({ object, accountId, organizationId }));
      await by('owned', other.id, owned.id);
      await by('shared', other.id, shared.id);
      await by('foreign', other.id, foreign.id);
      await by('own action', reader.id);
      await by('own action elsewhere', reader.id, foreign.id);
      await by('of another', other.id);
      const mine = { reader: reader.id };
      const expected = ['own action elsewhere', 'own action', 'shared', 'owned'];
      expect(await objects(world, mine)).toEqual(expected);
      expect(await objects(world, { ...mine, organizationId: foreign.id })).toEqual(['own action elsewhere']);
      await world.organizations.removeMember(shared.id, reader.id);
      await world.organizations.remove(owned.id, now);
      expect(await objects(world, mine)).toEqual(['own action elsewhere', 'own action']);
      expect(await objects(world, {})).toHaveLength(6);
    });

    test('purges only entries that are older than a time, in batches', async () => {
      const world = await open();
      const old = later(now, -DAY);
      for (let i = 0; i < 1001; i++) await world.audit.append(entry({ at: old, object: 'old' }));
      await world.audit.append(entry({ object: 'young' }));
      const purged = [
        await world.audit.purge(now),
        await world.audit.purge(now),
        await world.audit.purge(now),
      ];
      expect(purged.reduce((sum, one) => sum + one)).toBe(1001);
      expect(purged.at(-1)).toBe(0);
      expect(await objects(world, {})).toEqual(['young']);
      expect(await world.audit.purge(0 as Instant)).toBe(0);
    });
  });
}
