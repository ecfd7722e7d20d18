import { describe, expect, test } from 'bun:test';
import { createMatchRules, toRuling } from '../../../src/captcha/rules/rulings.ts';
import { systemRandom } from '../../../src/lib/ids.ts';
import { pacer } from '../../../src/lib/pacer.ts';
import { COMMAND_LINE, portalActor } from '../../../src/model/actor.ts';
import type { RuleScope } from '../../../src/model/rules/rule.ts';
import { createRules, type RuleInput } from '../../../src/platform/rules/rules.ts';
import { expectOk } from '../../support/server.ts';
import { addOrganization, openUseCases } from '../useCases.ts';

const GEOIP = { country: 'DE', asn: 64_496 };
const UNKNOWN = { country: undefined, asn: undefined };

async function open() {
  const services = openUseCases();
  const { organization, account: owner } = await addOrganization(services);
  const draft = { organizationId: organization.id, name: 'Shop', domain: 'example.com', level: 100 };
  const property = expectOk(await services.properties.create(COMMAND_LINE, draft));
  const rules = createRules({
    store: services.stores.rules,
    properties: services.properties,
    engine: { match: createMatchRules(pacer), apply: toRuling },
    pacer,
    geoip: {
      find: (address) => (address === '203.0.113.1' ? GEOIP : UNKNOWN),
      status: () => ({ files: [], hasCountries: true, hasAsns: true }),
      load: async () => {},
    },
    accountStore: services.stores.accounts,
    entryFor: services.audit.entryFor,
    clock: () => services.time.now,
    random: systemRandom,
  });
  const set = async (scope: RuleScope, list: unknown, input?: RuleInput) =>
    expectOk(await rules.replace(COMMAND_LINE, scope, list, input));
  const objects = async () =>
    (await services.stores.audit.page({}, undefined, 20)).map(({ action, object }) => [action, object]);
  return { ...services, owner, property, rules, set, objects };
}

const bots = { name: 'Bots', action: 'block', conditions: { user_agents: ['*bot*'] } };
const office = {
  name: 'Office',
  action: 'allow',
  conditions: { networks: ['192.0.2.0/24', '2001:db8::/32'] },
};
const germany = { name: 'Germany', action: 'adjust', levels: 8, conditions: { countries: ['DE'] } };

describe('a change of rules', () => {
  test('keeps the ids of the rules that it names, and gives new ones to the others', async () => {
    const { set, property } = await open();
    const before = await set(property.id, [bots, office]);
    const [first, second] = before.rules;
    const after = await set(property.id, [
      { ...office, id: second?.id },
      germany,
      { ...bots, id: first?.id },
    ]);
    expect(after.revision).toBe(2);
    expect(after.rules.map(({ name }) => name)).toEqual(['Office', 'Germany', 'Bots']);
    expect([after.rules[0]?.id, after.rules[2]?.id]).toEqual([second?.id, first?.id]);
    expect(after.rules[1]?.id).toMatch(/^[0-9a-f]{16}$/);
  });

  test('adds, updates, moves, and removes single rules', async () => {
    const { rules, property, set } = await open();
    const [id] = (await set(property.id, [bots, office])).rules.map((rule) => rule.id);
    if (id === undefined) throw new Error('no rule');
    const names = (changed: Awaited<ReturnType<typeof rules.add>>) =>
      expectOk(changed).rules.map(({ name }) => name);
    const by = COMMAND_LINE;
    expect(names(await rules.add(by, property.id, germany, { position: 1 }))).toEqual([
      'Bots',
      'Germany',
      'Office',
    ]);
    expect(names(await rules.add(by, property.id, { ...germany, name: 'Last' }))).toEqual([
      'Bots',
      'Germany',
      'Office',
      'Last',
    ]);
    const moved = await rules.move(by, property.id, id, 2);
    expect(expectOk(moved).rules.map(({ name }) => name)).toEqual(['Germany', 'Office', 'Bots', 'Last']);
    const updated = expectOk(await rules.update(by, property.id, id, { ...bots, name: 'Crawlers' }));
    expect(updated.rules[2]).toMatchObject({ id, name: 'Crawlers' });
    expect(expectOk(await rules.remove(by, property.id, id)).rules.map(({ name }) => name)).toEqual([
      'Germany',
      'Office',
      'Last',
    ]);
    const unknown = { ok: false, problem: 'rule-unknown' } as const;
    expect(await rules.remove(by, property.id, id)).toEqual(unknown);
    expect(await rules.update(by, property.id, id, bots)).toEqual(unknown);
    expect(await rules.move(by, property.id, id, 0)).toEqual(unknown);
  });

  test('is recorded in the audit log with what was before and after', async () => {
    const { rules, property, set, objects, owner } = await open();
    const [first] = (await set(property.id, [bots, office])).rules;
    const actor = portalActor(owner, '192.0.2.1');
    const changed = { ...bots, id: first?.id, action: 'set', level: 160, dry_run: true };
    expectOk(await rules.replace(actor, property.id, [germany, changed]));
    await set('installation', [office]);
    const shop = `Shop (${property.sitekey}): `;
    expect((await objects()).slice(0, 3)).toEqual([
      ['installation-rules-changed', 'added "Office" (allow, networks 2)'],
      [
        'property-rules-changed',
        `${shop}removed "Office" (allow, networks 2); added "Germany" (adjust +8, countries 1); ` +
          'changed "Bots" (block, user_agents 1 -> set 160, dry run, user_agents 1)',
      ],
      [
        'property-rules-changed',
        `${shop}added "Bots" (block, user_agents 1); added "Office" (allow, networks 2)`,
      ],
    ]);
  });

  test('with errors changes nothing, and names their positions', async () => {
    const { rules, property, set, objects } = await open();
    await set(property.id, [bots]);
    const recorded = await objects();
    const bad = { ...bots, conditions: { networks: '10.0.0.0/8, 10.1.0.0/16, 10.1.2.0/99' } };
    expect(await rules.add(COMMAND_LINE, property.id, bad, { acceptsText: true })).toEqual({
      ok: false,
      problem: 'rules-invalid',
      errors: [{ problem: 'network-malformed', rule: 1, member: 'networks', entry: 2, offset: 25 }],
    });
    expect(await rules.replace(COMMAND_LINE, property.id, { rules: [] })).toMatchObject({
      problem: 'rules-invalid',
      errors: [{ problem: 'rules-not-a-list' }],
    });
    const foreign = { ...bots, id: '0123456789abcdef' };
    expect(await rules.replace(COMMAND_LINE, property.id, [bots, foreign])).toMatchObject({
      errors: [{ problem: 'rule-id-unknown', rule: 1, member: 'id' }],
    });
    expect(expectOk(await rules.list(COMMAND_LINE, property.id)).rules.map(({ name }) => name)).toEqual([
      'Bots',
    ]);
    expect(await objects()).toEqual(recorded);
  });

  test('based on another revision is rejected; without a revision, simultaneous changes are all made', async () => {
    const { rules, property, set } = await open();
    const { revision } = await set(property.id, [bots]);
    const stale = { ok: false, problem: 'rules-changed-meanwhile' } as const;
    expect(await rules.add(COMMAND_LINE, property.id, office, { revision: revision - 1 })).toEqual(stale);
    expectOk(await rules.add(COMMAND_LINE, property.id, office, { revision }));
    expect(await rules.replace(COMMAND_LINE, property.id, [], { revision })).toEqual(stale);
    await Promise.all(
      [1, 2, 3].map((n) =>
        rules.add(COMMAND_LINE, property.id, { ...germany, name: `N${n}` }).then(expectOk),
      ),
    );
    const list = expectOk(await rules.list(COMMAND_LINE, property.id));
    expect(list.rules.map(({ name }) => name).sort()).toEqual(['Bots', 'N1', 'N2', 'N3', 'Office']);
  });
});

describe('a test', () => {
  test('lists the rules that match, and says which one decides and what it does', async () => {
    const { rules, property, set } = await open();
    await set('installation', [
      { ...bots, name: 'All bots', dry_run: true },
      { ...office, enabled: false },
    ]);
    await set(property.id, [germany, bots, { ...germany, name: 'Any', conditions: { paths: ['*'] } }]);
    const request = { address: '203.0.113.1', userAgent: 'EvilBot', path: '/' };
    const result = expectOk(await rules.test(COMMAND_LINE, property.id, request));
    expect(result).toMatchObject({
      ...GEOIP,
      action: { kind: 'adjust', levels: 8 },
      puzzle: { level: 108, growth: 'medium', difficulty: 108 },
    });
    expect(result.matches.map(({ scope, index, role, rule }) => [scope, index, role, rule?.name])).toEqual([
      ['installation', 0, 'dry-run', 'All bots'],
      ['property', 0, 'effective', 'Germany'],
      ['property', 1, 'not-reached', 'Bots'],
      ['property', 2, 'not-reached', 'Any'],
    ]);
    expect(await rules.list(COMMAND_LINE, property.id)).toMatchObject({
      value: { rules: [{ hits: undefined }, { hits: undefined }, { hits: undefined }] },
    });
  });

  test('uses the given country and ASN instead of those of the address, and the load of the property', async () => {
    const { rules, property, set } = await open();
    await set(property.id, [germany, bots]);
    const at = (country?: string) => ({ address: '203.0.113.1', userAgent: 'EvilBot', country });
    const blocked = expectOk(await rules.test(COMMAND_LINE, property.id, at('fr')));
    expect(blocked).toMatchObject({
      country: 'FR',
      asn: 64_496,
      action: { kind: 'block' },
      puzzle: undefined,
    });
    const asn = { asn: 7, country: 'DE' };
    expect(
      expectOk(await rules.test(COMMAND_LINE, property.id, asn, ({ level }) => level + 5)),
    ).toMatchObject({
      asn: 7,
      puzzle: { level: 108, difficulty: 113 },
    });
    expect(expectOk(await rules.test(COMMAND_LINE, property.id, {}))).toMatchObject({
      matches: [],
      action: undefined,
      puzzle: { level: 100, growth: 'medium', difficulty: 100 },
    });
    const malformed = { ok: false, problem: 'address-malformed' } as const;
    expect(await rules.test(COMMAND_LINE, property.id, { address: '300.0.0.1' })).toEqual(malformed);
  });

  test('compares the path that a request with this path would have, and rejects a malformed one', async () => {
    const { rules, property, set } = await open();
    await set(property.id, [{ ...bots, conditions: { paths: ['/login', '/%C3%A9'] } }]);
    const matchesOf = async (path: string) =>
      expectOk(await rules.test(COMMAND_LINE, property.id, { path })).matches.length;
    for (const path of ['/login', '/login?next=/', '/login#top', '/a/../login', '/é', '/%C3%A9'])
      expect([path, await matchesOf(path)]).toEqual([path, 1]);
    for (const path of ['', '/', '/Login']) expect([path, await matchesOf(path)]).toEqual([path, 0]);
    for (const path of ['login', '//login', '/\\login', `/${'a'.repeat(2048)}`])
      expect(await rules.test(COMMAND_LINE, property.id, { path })).toEqual({
        ok: false,
        problem: 'page-path-malformed',
      });
  });

  test('hides the rules of the installation from users who are not administrators', async () => {
    const { rules, property, set, owner } = await open();
    await set('installation', [bots]);
    await set(property.id, [bots]);
    const actor = portalActor(owner, undefined);
    const result = expectOk(await rules.test(actor, property.id, { userAgent: 'bot' }));
    expect(result.matches).toMatchObject([
      { scope: 'installation', index: 0, rule: undefined, role: 'effective' },
      { scope: 'property', index: 0, rule: { name: 'Bots' }, role: 'not-reached' },
    ]);
    expect(result.action).toEqual({ kind: 'block' });
    const ofInstallation = expectOk(await rules.test(COMMAND_LINE, 'installation', { userAgent: 'bot' }));
    expect(ofInstallation).toMatchObject({ matches: [{ rule: { name: 'Bots' } }], puzzle: undefined });
  });
});
