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
  subject: 'Shop',
  ...change,
});

async function subjects({ audit }: World, filter: AuditFilter): Promise<string[]> {
  return (await audit.page(filter, undefined, 100)).map(({ subject }) => subject);
}

/** What any store of the audit log promises. */
export function describeAuditStore(name: string, open: OpenWorld): void {
  describe(`audit store (${name})`, () => {
    test('is empty at first', async () => {
      expect(await open().audit.page({}, undefined, 10)).toEqual([]);
    });

    test('keeps what it was given, though nobody it speaks of is there', async () => {
      const { audit } = open();
      const full = entry({ organizationId: 999 as OrganizationId });
      const bare = entry({ accountId: undefined, address: undefined, source: 'command-line', subject: '' });
      await audit.append(full);
      await audit.append(bare);
      const [second, first] = await audit.page({}, undefined, 10);
      expect(first).toEqual({ ...full, id: first?.id as AuditId });
      expect(second).toEqual({ ...bare, id: second?.id as AuditId });
    });

    test('goes backwards page by page, and what comes meanwhile moves nothing', async () => {
      const { audit } = open();
      for (const subject of ['a', 'b', 'c', 'd', 'e']) await audit.append(entry({ subject }));
      const seen: string[] = [];
      let before: AuditId | undefined;
      for (let page = 0; page < 3; page++) {
        const found = await audit.page({}, before, 2);
        seen.push(...found.map(({ subject }) => subject));
        before = found.at(-1)?.id;
        await audit.append(entry({ subject: 'new' }));
      }
      expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
      expect(await audit.page({}, before, 2)).toEqual([]);
    });

    test.each<[string, AuditFilter, string[]]>([
      ['an account', { accountId: 2 as AccountId }, ['two']],
      ['an organization', { organizationId: 7 as OrganizationId }, ['seven']],
      ['an action', { action: 'key-revoked' }, ['revoked']],
      ['a part of the subject', { text: 'WO' }, ['two']],
      ['a part of the actor', { text: 'École' }, ['french']],
      ['signs that mean something elsewhere', { text: '100%_\\' }, ['100%_\\']],
      ['nothing that is there', { text: '%' + '%' }, []],
      ['a first moment', { from: later(now, 2) }, ['later']],
      ['a moment that counts no more', { to: now }, ['earlier']],
      ['a time between', { from: now, to: later(now, 1), action: 'key-revoked' }, ['revoked']],
      ['all at once', { accountId: 2 as AccountId, action: 'key-revoked' }, []],
    ])('finds %s', async (_, filter, expected) => {
      const world = open();
      const kept = [
        entry({ subject: 'two', accountId: 2 as AccountId }),
        entry({ subject: 'seven', organizationId: 7 as OrganizationId }),
        entry({ subject: 'revoked', action: 'key-revoked' }),
        entry({ subject: 'french', actor: 'ÉCOLE@example.com' }),
        entry({ subject: '100%_\\' }),
        entry({ subject: 'later', at: later(now, 2) }),
        entry({ subject: 'earlier', at: later(now, -1) }),
      ];
      for (const one of kept) await world.audit.append(one);
      expect(await subjects(world, filter)).toEqual(expected);
    });

    test('shows a reader what concerns its organizations, and its own acts, and nothing else', async () => {
      const world = open();
      const [reader, other] = [await addAccount(world), await addAccount(world)];
      const owned = await addOrganization(world, reader);
      const shared = await addOrganization(world, other);
      const foreign = await addOrganization(world, other);
      await world.organizations.addMember(shared.id, reader.id, now);
      const by = (subject: string, accountId: AccountId, organizationId?: OrganizationId) =>
        world.audit.append(entry({ subject, accountId, organizationId }));
      await by('owned', other.id, owned.id);
      await by('shared', other.id, shared.id);
      await by('foreign', other.id, foreign.id);
      await by('own act', reader.id);
      await by('own act elsewhere', reader.id, foreign.id);
      await by('of another', other.id);
      const mine = { reader: reader.id };
      const whatIsMine = ['own act elsewhere', 'own act', 'shared', 'owned'];
      expect(await subjects(world, mine)).toEqual(whatIsMine);
      expect(await subjects(world, { ...mine, organizationId: foreign.id })).toEqual(['own act elsewhere']);
      await world.organizations.removeMember(shared.id, reader.id);
      await world.organizations.remove(owned.id, now);
      expect(await subjects(world, mine)).toEqual(['own act elsewhere', 'own act']);
      expect(await subjects(world, {})).toHaveLength(6);
    });

    test('forgets what is older than a moment, in portions, and nothing else', async () => {
      const world = open();
      const old = later(now, -DAY);
      for (let i = 0; i < 1500; i++) await world.audit.append(entry({ at: old, subject: 'old' }));
      await world.audit.append(entry({ subject: 'young' }));
      const purged = [
        await world.audit.purge(now),
        await world.audit.purge(now),
        await world.audit.purge(now),
      ];
      expect(purged.reduce((sum, one) => sum + one)).toBe(1500);
      expect(purged.at(-1)).toBe(0);
      expect(await subjects(world, {})).toEqual(['young']);
      expect(await world.audit.purge(0 as Instant)).toBe(0);
    });
  });
}
