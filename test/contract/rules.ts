import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant } from '../../src/lib/time.ts';
import type { AuditEntry } from '../../src/model/audit.ts';
import type { RuleReplacement } from '../../src/model/ports/rules.ts';
import type { Property, PropertyId } from '../../src/model/property.ts';
import { RULE_LIMITS, type Rule, type RuleId, type RuleScope } from '../../src/model/rules/rule.ts';
import { toRulesJson } from '../../src/model/rules/rulesJson.ts';
import { type Hour, toHour } from '../../src/model/statistics.ts';
import { expectOk } from '../support/server.ts';
import { addOrganization, newProperty, now, type OpenWorld, type World } from './world.ts';

const later = (now + 1000) as Instant;
const NO_REVISIONS = { rulesRevision: null, installationRevision: null };

let ids = 0;

function newRule(change: Partial<Rule> = {}): Rule {
  const id = (++ids).toString(16).padStart(16, '0') as RuleId;
  const conditions = {
    networks: ['192.0.2.0/24', '2001:db8::/32'],
    userAgents: ['*bot*'],
    downgrades: ['hashwx'],
  } as const;
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
  return { scope, json: toRulesJson(rules), ids: rules.map(({ id }) => id), revision, now, entry: undefined };
}

/** The contract of every rule store. */
export function describeRuleStore(name: string, open: OpenWorld): void {
  describe(`rule store (${name})`, () => {
    test('has no rules at first', async () => {
      const world = await open();
      const { id, sitekey } = await addProperty(world);
      for (const scope of ['installation', id] as const) {
        expect(await world.rules.list(scope)).toEqual({ revision: 0, changedAt: undefined, rules: [] });
        expect(await world.rules.stored(scope)).toBeUndefined();
        expect(await world.rules.hits(scope)).toEqual(new Map());
      }
      expect(await world.properties.bySitekey(sitekey)).toMatchObject(NO_REVISIONS);
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
      expect(await world.rules.replace(replacement(id, rules))).toEqual({ ok: true, value: 1 });
      expect(await world.rules.list(id)).toEqual({ revision: 1, changedAt: now, rules });
      const reversed = rules.toReversed();
      expect(await world.rules.replace(replacement(id, reversed, 1))).toEqual({ ok: true, value: 2 });
      expect(await world.rules.list(id)).toEqual({ revision: 2, changedAt: now, rules: reversed });
      expect(await world.rules.stored(id)).toEqual({ revision: 2, json: toRulesJson(reversed) });
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
    });

    test('a property has the revisions of the lists that apply to it, and none for an empty list', async () => {
      const world = await open();
      const [first, second] = [await addProperty(world), await addProperty(world)];
      const revisions = async ({ sitekey }: Property) => {
        const found = await world.properties.bySitekey(sitekey);
        return [found?.rulesRevision, found?.installationRevision];
      };
      expectOk(await world.rules.replace(replacement(first.id, [newRule()])));
      expect(await revisions(first)).toEqual([1, null]);
      expectOk(await world.rules.replace(replacement('installation', [newRule()])));
      expectOk(await world.rules.replace(replacement(first.id, [newRule()], 1)));
      expect(await revisions(first)).toEqual([2, 1]);
      expect(await revisions(second)).toEqual([null, 1]);
      expectOk(await world.rules.replace(replacement(first.id, [], 2)));
      expectOk(await world.rules.replace(replacement('installation', [], 1)));
      expect(await revisions(first)).toEqual([null, null]);
    });

    test('limits the lists of an organization together, but never prevents a shorter list', async () => {
      const world = await open();
      const { id: organizationId } = await addOrganization(world);
      const add = async (name: string) =>
        expectOk(await world.properties.create({ ...newProperty(organizationId), name }, now)).id;
      const [first, second, { id: other }] = [
        await add('First'),
        await add('Second'),
        await addProperty(world),
      ];
      const write = (scope: RuleScope, bytes: number, revision = 0) =>
        world.rules.replace({ ...replacement(scope, [], revision), json: 'x'.repeat(bytes) });
      const limit = RULE_LIMITS.organizationBytes;
      const tooLarge = { ok: false, problem: 'rules-of-organization-too-large' } as const;
      expectOk(await write(first, limit - 100));
      expect(await write(second, 101)).toEqual(tooLarge);
      expect(await world.rules.stored(second)).toBeUndefined();
      expectOk(await write(second, 100));
      expect(await write(first, limit - 99, 1)).toEqual(tooLarge);
      // The lists of the installation and of other organizations do not count.
      expectOk(await write('installation', limit));
      expectOk(await write(other, limit));
      expectOk(await write(first, limit - 101, 1));
      expectOk(await write(second, 101, 1));
    });

    test('changes nothing if the revision is another one', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const rules = [newRule()];
      const entry = { ...ENTRY, object: 'lost' };
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
      // All records of one rule in a call are added. Only one of them was.
      await world.rules.addHits([1, 2].map((hits) => ({ id: third.id, hits, lastHitAt: now })));
      const counted = new Map([
        [first.id, { hits: 5, lastHitAt: later }],
        [second.id, { hits: 1, lastHitAt: now }],
        [third.id, { hits: 3, lastHitAt: now }],
      ]);
      expect(await world.rules.hits(id)).toEqual(counted);
      expect(await world.rules.hits('installation')).toEqual(new Map());
    });

    test('adds hits to the hours of the rules, once for each batch, and not for rules that do not exist', async () => {
      const world = await open();
      const { id } = await addProperty(world);
      const [first, second] = [newRule(), newRule()];
      expectOk(await world.rules.replace(replacement(id, [first])));
      const next = (now + HOUR) as Instant;
      const batch = { writer: 'a'.repeat(32), number: 1 };
      await world.rules.addHits(
        [
          { id: first.id, hits: 3, lastHitAt: now },
          { id: first.id, hits: 4, lastHitAt: next },
          { id: second.id, hits: 5, lastHitAt: now },
        ],
        batch,
      );
      await world.rules.addHits([{ id: first.id, hits: 2, lastHitAt: now }]);
      const hours = async (rule: RuleId) =>
        (await world.statistics.byHour({ rule }, toHour(now), (toHour(next) + 1) as Hour)).map(
          ({ at, counts }) => [at as number, counts[0]],
        );
      expect((await hours(first.id)).toSorted()).toEqual([
        [toHour(now), 5],
        [toHour(next), 4],
      ]);
      expect(await hours(second.id)).toEqual([]);
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
      expect((await world.rules.stored(id))?.json).toBe('[]');
    });

    test('a purged property leaves no rules and no hits', async () => {
      const world = await open();
      const { id, organizationId } = await addProperty(world);
      const rule = newRule();
      expectOk(await world.rules.replace(replacement(id, [rule])));
      await world.rules.addHits([{ id: rule.id, hits: 1, lastHitAt: now }]);
      expectOk(await world.organizations.remove(organizationId, now));
      while ((await world.properties.purge(later)) > 0);
      expect(await world.rules.stored(id)).toBeUndefined();
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
  object: 'added "Bots" (block, user_agents 1)',
};
