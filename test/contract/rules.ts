import { describe, expect, test } from 'bun:test';
import type { Instant } from '../../src/lib/time.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import type { RuleReplacement } from '../../src/model/ports/rules.ts';
import type { Property, PropertyId } from '../../src/model/property.ts';
import type { Rule, RuleId, RuleScope } from '../../src/model/rules/rule.ts';
import { expectOk } from '../support/server.ts';
import { addOrganization, newProperty, now, type OpenWorld, type World } from './world.ts';

const later = (now + 1000) as Instant;

let ids = 0;

function newRule(change: Partial<Rule> = {}): Rule {
  const id = (++ids).toString(16).padStart(16, '0') as RuleId;
  const conditions = { networks: ['192.0.2.0/24', '2001:db8::/32'], userAgents: ['*bot*'], asns: [64_496] };
  return {
    id,
    name: `Rule ${ids}`,
    isEnabled: true,
    isDryRun: false,
    action: { kind: 'block' },
    conditions,
    ...change,
  };
}

async function addProperty(world: World): Promise<Property> {
  const organization = await addOrganization(world);
  return expectOk(await world.properties.create(newProperty(organization.id), now));
}

function replacement(scope: RuleScope, rules: readonly Rule[], revision = 0): RuleReplacement {
  return { scope, rules, revision, now, entry: undefined };
}

/** The contract of every rule store. */
export function describeRuleStore(name: string, open: OpenWorld): void {
  describe(`rule store (${name})`, () => {
    test('has no rules at first', async () => {
      const world = await open();
      const { id, sitekey } = await addProperty(world);
      for (const scope of ['installation', id] as const) {
        expect(await world.rules.list(scope)).toEqual({ revision: 0, changedAt: undefined, rules: [] });
        expect(await world.rules.json(scope)).toBeNull();
        expect(await world.rules.hits(scope)).toEqual(new Map());
      }
      expect((await world.properties.bySitekey(sitekey))?.rulesJson).toBeNull();
    });

    test('stores every kind of rule, in the given order', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const rules = [
        newRule({ action: { kind: 'adjust', levels: -254 }, isDryRun: true }),
        newRule({
          action: { kind: 'allow' },
          isEnabled: false,
          name: 'Ä <3 "quoted" \u{1F600}'.replace('<', ''),
        }),
        newRule({ action: { kind: 'set', level: 255 } }),
        newRule({ conditions: { headers: ['accept: *', '!x-test'], countries: ['DE'], paths: ['/a*'] } }),
      ];
      const stored = expectOk(await world.rules.replace(replacement(id, rules)));
      expect(stored).toEqual({ revision: 1, changedAt: now, rules });
      expect(await world.rules.list(id)).toEqual(stored);
      const reversed = rules.toReversed();
      expect(expectOk(await world.rules.replace(replacement(id, reversed, 1)))).toEqual({
        revision: 2,
        changedAt: now,
        rules: reversed,
      });
    });

    test('separates the rules of properties and of the installation', async () => {
      const world = await open();
      const [first, second] = [await addProperty(world), await addProperty(world)];
      const [ofFirst, ofAll] = [[newRule()], [newRule(), newRule()]];
      expectOk(await world.rules.replace(replacement(first.id, ofFirst)));
      expectOk(await world.rules.replace(replacement('installation', ofAll)));
      expect((await world.rules.list(first.id)).rules).toEqual(ofFirst);
      expect((await world.rules.list(second.id)).rules).toEqual([]);
      expect((await world.rules.list('installation')).rules).toEqual(ofAll);
      expect((await world.properties.bySitekey(first.sitekey))?.rulesJson).toBe(
        await world.rules.json(first.id),
      );
      expect((await world.properties.bySitekey(second.sitekey))?.rulesJson).toBeNull();
    });

    test('changes nothing if the revision is another one', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const rules = [newRule()];
      const entry = { ...ENTRY, subject: 'lost' };
      const rejected = { ok: false, problem: 'rules-changed-meanwhile' } as const;
      expect(await world.rules.replace({ ...replacement(id, rules, 1), entry })).toEqual(rejected);
      expectOk(await world.rules.replace(replacement(id, rules)));
      expect(await world.rules.replace({ ...replacement(id, []), entry })).toEqual(rejected);
      expect((await world.rules.list(id)).rules).toEqual(rules);
      expect(await world.audit.page({}, undefined, 10)).toEqual([]);
    });

    test('only one of simultaneous replacements succeeds', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const results = await Promise.all(
        Array.from({ length: 5 }, () => world.rules.replace(replacement(id, [newRule()]))),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect((await world.rules.list(id)).revision).toBe(1);
    });

    test('rejects rules of a deleted property, and of a property of a deleted organization', async () => {
      const world = await open();
      const { id, organizationId } = await addProperty(world);
      const gone = { ok: false, problem: 'property-gone' } as const;
      expect(await world.rules.replace(replacement(999_999 as PropertyId, [newRule()]))).toEqual(gone);
      expectOk(await world.organizations.remove(organizationId, now));
      expect(await world.rules.replace(replacement(id, [newRule()]))).toEqual(gone);
      expect((await world.rules.list(id)).rules).toEqual([]);
    });

    test('appends the audit log entry in the same step', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      expectOk(await world.rules.replace({ ...replacement(id, [newRule()]), entry: ENTRY }));
      expect(await world.audit.page({}, undefined, 10)).toMatchObject([ENTRY]);
    });

    test('adds hits, keeps the latest time, and ignores rules that do not exist', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const [first, second, third] = [newRule(), newRule(), newRule()];
      expectOk(await world.rules.replace(replacement(id, [first, second, third])));
      await world.rules.addHits([
        { id: first.id, hits: 3, lastHitAt: later },
        { id: second.id, hits: 1, lastHitAt: now },
        { id: newRule().id, hits: 7, lastHitAt: now },
      ]);
      await world.rules.addHits([{ id: first.id, hits: 2, lastHitAt: now }]);
      const counted = new Map([
        [first.id, { hits: 5, lastHitAt: later }],
        [second.id, { hits: 1, lastHitAt: now }],
      ]);
      expect(await world.rules.hits(id)).toEqual(counted);
      expect(await world.rules.hits('installation')).toEqual(new Map());
    });

    test('keeps the hits of rules that remain, and deletes those of the others', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const [kept, removed] = [newRule(), newRule()];
      expectOk(await world.rules.replace(replacement(id, [kept, removed])));
      const hit = { hits: 4, lastHitAt: now };
      await world.rules.addHits([kept, removed].map((rule) => ({ id: rule.id, ...hit })));
      expectOk(await world.rules.replace(replacement(id, [newRule(), { ...kept, name: 'Renamed' }], 1)));
      await world.rules.addHits([{ id: removed.id, ...hit }]);
      expect(await world.rules.hits(id)).toEqual(new Map([[kept.id, hit]]));
      expectOk(await world.rules.replace(replacement(id, [], 2)));
      expect(await world.rules.hits(id)).toEqual(new Map());
      expect(await world.rules.json(id)).toBe('[]');
    });

    test('a purged property leaves no rules and no hits', async () => {
      const world = await open();
      const { id, organizationId } = await addProperty(world);
      const rule = newRule();
      expectOk(await world.rules.replace(replacement(id, [rule])));
      await world.rules.addHits([{ id: rule.id, hits: 1, lastHitAt: now }]);
      expectOk(await world.organizations.remove(organizationId, now));
      while ((await world.properties.purge(later)) > 0);
      expect(await world.rules.json(id)).toBeNull();
      expect(await world.rules.hits(id)).toEqual(new Map());
    });
  });
}

const ENTRY: AuditEntry = {
  at: now,
  accountId: undefined,
  actor: 'command line',
  source: 'command-line',
  address: undefined,
  action: 'installation-rules-changed',
  organizationId: undefined,
  subject: 'added "Bots" (block, user_agents 1)',
};
