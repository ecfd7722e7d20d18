import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { RuleDocument } from '../../../src/model/rules/ruleDocument.ts';
import { api } from '../../support/platform.ts';
import { addUser } from '../../support/portal.ts';
import { addKey, expectOk } from '../../support/server.ts';
import { useClient, useIds, useServer, useTenant } from '../../support/useServer.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_TRUSTED_PROXIES: '127.0.0.1/32' } });
const tenant = useTenant(server, { allowsLocalhost: true }, { per: 'test' });
const client = useClient(server, tenant, { per: 'test' });
const ids = useIds(server, tenant, { per: 'test' });

const BLOCK = { name: 'Block', action: 'block', conditions: { networks: ['198.51.100.0/24'] } };
const HARDER = { name: 'Harder', action: 'adjust', levels: 16, conditions: { user_agents: ['*curl*'] } };
const FIXED = { name: 'Fixed', action: 'set', level: 200, conditions: { headers: ['!accept-language'] } };

const path = (rest = 'rules') => `/org/${ids.org}/property/${ids.property}/${rest}`;
const list = async () => (await client.get<RuleDocument>(path())).data;
const add = async (rule: unknown, position?: number) =>
  (await client.post<RuleDocument>(path(), { rule, ...(position === undefined ? {} : { position }) })).data;
const names = ({ rules }: RuleDocument) => rules.map(({ name }) => name);

type RuleErrors = { readonly errors: readonly Record<string, unknown>[] };

/** The status of a request for a puzzle from an address. */
async function puzzleFrom(address: string, headers: Record<string, string> = {}): Promise<number> {
  const { sitekey, domain } = tenant.property;
  const from = { Origin: `https://${domain}`, 'X-Forwarded-For': address, ...headers };
  return (await fetch(`${server.url}/puzzle?sitekey=${sitekey}`, { headers: from })).status;
}

/** A key of a user who is an administrator. */
async function adminKey(more: Parameters<typeof addKey>[3] = {}): Promise<string> {
  return addKey(server.app.services, await addUser(server, true), 'portal', more);
}

describe('the rules of a property', () => {
  test('are empty at first, and are added, changed, moved, and deleted', async () => {
    expect(await list()).toEqual({ revision: 0, changed_at: null, rules: [] });
    const first = await add(BLOCK);
    expect(first).toMatchObject({ revision: 1, changed_at: expect.stringMatching(/^\d{4}-/) });
    const [stored] = first.rules;
    const id = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(stored).toEqual({ ...BLOCK, id, enabled: true, dry_run: false, hits: 0, last_hit_at: null });
    await add(HARDER);
    expect(names(await add(FIXED, 0))).toEqual(['Fixed', 'Block', 'Harder']);
    const rule = path(`rule/${stored?.id}`);
    expect(names((await client.put<RuleDocument>(`${rule}/position`, { position: 9 })).data)).toEqual([
      'Fixed',
      'Harder',
      'Block',
    ]);
    const changed = await client.put<RuleDocument>(rule, { rule: { ...BLOCK, name: 'New', dry_run: true } });
    expect(changed.data.rules[2]).toMatchObject({ id: stored?.id, name: 'New', dry_run: true });
    expect(names((await client.ask<RuleDocument>('DELETE', rule)).data)).toEqual(['Fixed', 'Harder']);
    expect(await list()).toMatchObject({ revision: 6, rules: [{ name: 'Fixed' }, { name: 'Harder' }] });
  });

  test('have at most 4 MiB for all properties of an organization together', async () => {
    const { rules } = server.app.services.stores;
    const json = 'x'.repeat(4 * 1024 * 1024 - 10);
    const other = expectOk(
      await server.app.services.properties.create(INSTALLATION, {
        organizationId: tenant.organization.id,
        name: 'Other',
        domain: 'example.com',
      }),
    );
    const entry = undefined;
    const now = systemClock();
    expectOk(await rules.replace({ scope: other.id, json, ids: [], revision: 0, now, entry }));
    const put = (list: readonly unknown[]) => client.put<RuleErrors>(path(), { rules: list });
    const rejected = await put([BLOCK]);
    expect(rejected).toMatchObject({ status: 400, code: 1400 });
    expect(rejected.data.errors).toMatchObject([{ problem: 'rules-of-organization-too-large', path: '' }]);
    expect(await list()).toMatchObject({ revision: 0, rules: [] });
    expect(await put([])).toMatchObject({ status: 200 });
  });

  test('can be sent back as they were received, and keep their ids', async () => {
    await add(BLOCK);
    const received = await add(HARDER);
    const [block, harder] = received.rules;
    const sent = { ...received, rules: [harder, { ...block, enabled: false }] };
    const { status, data } = await client.put<RuleDocument>(path(), sent);
    expect(status).toBe(200);
    expect(data.rules.map(({ id, enabled }) => [id, enabled])).toEqual([
      [harder?.id, true],
      [block?.id, false],
    ]);
  });

  test('are not changed by a request with an earlier revision', async () => {
    const { rules, revision } = await add(BLOCK);
    await add(HARDER);
    const before = await list();
    const id = rules[0]?.id;
    const requests = [
      await client.put(path(), { revision, rules: [] }),
      await client.post(path(), { revision, rule: FIXED }),
      await client.put(path(`rule/${id}`), { revision, rule: FIXED }),
      await client.put(path(`rule/${id}/position`), { revision, position: 1 }),
      await client.delete(path(`rule/${id}`), { revision }),
    ];
    for (const { status, code } of requests) expect([status, code]).toEqual([409, 1401]);
    expect(await list()).toEqual(before);
  });

  test('with errors are rejected with the positions of all errors, and nothing changes', async () => {
    await add(BLOCK);
    const before = await list();
    const rules = [
      BLOCK,
      { name: '', action: 'adjust', conditions: { networks: ['192.0.2.0/24', '192.0.2.1/24', 'x'] } },
      { name: 'A', action: 'deny', conditions: {}, colour: 'red' },
    ];
    const { status, code, description, data } = await client.put<RuleErrors>(path(), { rules });
    expect([status, code]).toEqual([400, 1400]);
    expect(description).toContain('rules[1].');
    const found = data.errors.map(({ problem, path: at, index }) => [problem, at, index]);
    expect(found).toContainEqual(['rule-name-empty', 'rules[1].name', 1]);
    expect(found).toContainEqual(['network-has-host-bits', 'rules[1].conditions.networks[1]', 1]);
    expect(found).toContainEqual(['network-malformed', 'rules[1].conditions.networks[2]', 1]);
    expect(found).toContainEqual(['action-unknown', 'rules[2].action', 2]);
    // Previously, the message did not name the member.
    const unknown = 'The member "colour" is unknown; remove it or correct its name.';
    const named = data.errors.map(({ problem, path: at, description: sentence }) => [problem, at, sentence]);
    expect(named).toContainEqual(['member-unknown', 'rules[2]', unknown]);
    const offset = data.errors.find(({ problem }) => problem === 'network-malformed')?.offset;
    expect(offset).toEqual(expect.any(Number));
    expect(await list()).toEqual(before);
  });

  test.each([
    ['an empty object', {}, 1400],
    ['rules that are not an array', { rules: {} }, 1400],
    ['101 rules', { rules: new Array(101).fill(BLOCK) }, 1400],
    ['a negative revision', { rules: [], revision: -1 }, 1001],
    ['a revision that is a text', { rules: [], revision: '1' }, 1001],
    ['an unknown member', { rules: [], more: 1 }, 1001],
    ['an unknown id', { rules: [{ ...BLOCK, id: '0'.repeat(16) }] }, 1400],
  ])('are not replaced by %s', async (_, body, code) => {
    await add(BLOCK);
    const before = await list();
    const reply = await client.put(path(), body);
    expect([reply.status, reply.code]).toEqual([400, code]);
    expect(await list()).toEqual(before);
  });

  test.each(['rule/0000000000000000', 'rule/x', 'rule/%25'])('have no %s', async (rest) => {
    for (const [method, where, body] of [
      ['PUT', path(rest), { rule: BLOCK }],
      ['PUT', path(`${rest}/position`), { position: 0 }],
      ['DELETE', path(rest), {}],
    ] as const) {
      const { status, code } = await client.ask(method, where, body);
      expect([method, status, code]).toEqual([method, 404, 1402]);
    }
  });

  test('block puzzles as soon as they are stored, count their hits, and do not block in a dry run', async () => {
    expect(await puzzleFrom('198.51.100.7')).toBe(200);
    const { rules } = await add(BLOCK);
    expect([await puzzleFrom('198.51.100.7'), await puzzleFrom('192.0.2.1')]).toEqual([403, 200]);
    await client.put(path(`rule/${rules[0]?.id}`), { rule: { ...BLOCK, dry_run: true } });
    expect(await puzzleFrom('198.51.100.8')).toBe(200);
    await server.app.flush();
    const [counted] = (await list()).rules;
    expect(counted).toMatchObject({ hits: 2, last_hit_at: new Date(server.clock.now).toISOString() });
  });

  test('are not accessible to other tenants', async () => {
    const { rules } = await add(BLOCK);
    const stranger = api(server, await addKey(server.app.services, await addUser(server), 'portal'));
    const before = await list();
    for (const [method, rest, body] of [
      ['GET', 'rules', undefined],
      ['PUT', 'rules', { rules: [] }],
      ['POST', 'rules', { rule: BLOCK }],
      ['POST', 'rules/test', {}],
      ['PUT', `rule/${rules[0]?.id}`, { rule: HARDER }],
      ['PUT', `rule/${rules[0]?.id}/position`, { position: 0 }],
      ['DELETE', `rule/${rules[0]?.id}`, {}],
    ] as const) {
      const { status, code } = await stranger.ask(method, path(rest), body);
      expect([method, rest, status, code]).toEqual([method, rest, 403, 1106]);
    }
    expect(await list()).toEqual(before);
  });

  test('are recorded in the audit log', async () => {
    await add(BLOCK);
    const { entries } = await server.app.services.audit.list(INSTALLATION, {}, { limit: 1 });
    expect(entries[0]).toMatchObject({
      action: 'property-rules-changed',
      source: 'api-key',
      object: expect.stringContaining('added "Block"'),
    });
  });
});

describe('a test', () => {
  test('names every rule that matches, the one that decides, and the puzzle', async () => {
    await client.put(path(), {
      rules: [{ ...FIXED, dry_run: true }, HARDER, { ...BLOCK, enabled: false }, BLOCK],
    });
    const request = { address: '198.51.100.7', user_agent: 'curl/8.5.0' };
    const { status, data } = await client.post<Record<string, unknown>>(path('rules/test'), request);
    expect(status).toBe(200);
    const level = tenant.property.level + 16;
    expect(data).toMatchObject({
      country: null,
      asn: null,
      action: { action: 'adjust', levels: 16 },
      matches: [
        { scope: 'property', index: 0, role: 'dry-run', rule: { name: 'Fixed' } },
        { scope: 'property', index: 1, role: 'effective', rule: { name: 'Harder' } },
        { scope: 'property', index: 3, role: 'not-reached', rule: { name: 'Block' } },
      ],
      puzzle: { level, difficulty: level },
    });
    await server.app.flush();
    expect((await list()).rules.map(({ hits }) => hits)).toEqual([0, 0, 0, 0]);
  });

  test('says that nothing matches, and that a request is blocked', async () => {
    await add(BLOCK);
    const nothing = await client.post(path('rules/test'), {});
    expect(nothing.data).toMatchObject({
      action: null,
      matches: [],
      puzzle: { level: tenant.property.level },
    });
    const blocked = await client.post(path('rules/test'), { address: '198.51.100.255' });
    expect(blocked.data).toMatchObject({ action: { action: 'block' }, puzzle: null });
  });

  test('compares the kind of work from which the puzzle is downgraded', async () => {
    await add({ ...HARDER, conditions: { downgrades: ['hashwx'] } });
    const matchesOf = async (request: object) =>
      (await client.post<{ matches: readonly unknown[] }>(path('rules/test'), request)).data?.matches.length;
    expect([await matchesOf({ downgrade: 'hashwx' }), await matchesOf({ downgrade: 'argon2id' })]).toEqual([
      1, 0,
    ]);
  });

  test('accepts read-only keys', async () => {
    const key = await addKey(server.app.services, tenant.account, 'portal', { isReadOnly: true });
    expect(
      (await api(server, key).post(path('rules/test'), { country: 'de', asn: 64496 })).data,
    ).toMatchObject({
      country: 'DE',
      asn: 64496,
    });
  });

  test.each([
    ['an incomplete address', { address: '192.0.2' }],
    ['an address that is a number', { address: 5 }],
    ['a user agent that is null', { user_agent: null }],
    ['a path of 8193 characters', { path: 'x'.repeat(8193) }],
    ['headers that are an array', { headers: [] }],
    ['a header that is a number', { headers: { a: 1 } }],
    ['the name of a country', { country: 'Germany' }],
    ['the ASN 0', { asn: 0 }],
    ['an ASN that is a text', { asn: '64496' }],
    ['a downgrade from BLAKE2b', { downgrade: 'blake2b' }],
    ['an unknown member', { other: 1 }],
  ])('rejects %s', async (_, request) => {
    const { status, code } = await client.post(path('rules/test'), request);
    expect([status, code]).toEqual([400, 1001]);
  });
});

describe('the rules of the installation', () => {
  test('are managed by administrators, apply to every property first, and hide themselves from others', async () => {
    const admin = api(server, await adminKey());
    await add({ ...BLOCK, action: 'allow' });
    const added = await admin.post<RuleDocument>('/rules', { rule: BLOCK });
    expect(added.status).toBe(200);
    expect(await puzzleFrom('198.51.100.7')).toBe(403);
    const { data } = await client.post<{ matches: readonly unknown[] }>(path('rules/test'), {
      address: '198.51.100.7',
    });
    expect(data.matches[0]).toEqual({ scope: 'installation', index: 0, role: 'effective', rule: null });
    const id = added.data.rules[0]?.id;
    const shown = await admin.post('/rules/test', { address: '198.51.100.7' });
    expect(shown.data).toMatchObject({ matches: [{ rule: { id } }], puzzle: null });
    expect((await admin.put(`/rule/${id}/position`, { position: 0 })).status).toBe(200);
    expect((await admin.put(`/rule/${id}`, { rule: { ...BLOCK, enabled: false } })).status).toBe(200);
    expect(await puzzleFrom('198.51.100.7')).toBe(200);
    expect((await admin.ask<RuleDocument>('DELETE', `/rule/${id}`)).data.rules).toEqual([]);
    const { data: replaced } = await admin.put<RuleDocument>('/rules', {
      rules: [{ ...HARDER, dry_run: true }],
    });
    expect(names(replaced)).toEqual(['Harder']);
    expect((await admin.get<RuleDocument>('/rules')).data).toEqual(replaced);
    await admin.put('/rules', { rules: [] });
  });

  test('reject users who are not administrators, and keys that are limited to an organization', async () => {
    const account = await addUser(server, true);
    const draft = { name: 'Limited', ownerId: account.id };
    const { id: organizationId } = expectOk(
      await server.app.services.organizations.create(INSTALLATION, draft),
    );
    const limited = await addKey(server.app.services, account, 'portal', { organizationId });
    for (const key of [tenant.portalKey, limited]) {
      for (const [method, where, body] of [
        ['GET', '/rules', undefined],
        ['PUT', '/rules', { rules: [] }],
        ['POST', '/rules', { rule: BLOCK }],
        ['POST', '/rules/test', {}],
        ['PUT', '/rule/0000000000000000', { rule: BLOCK }],
        ['PUT', '/rule/0000000000000000/position', { position: 0 }],
        ['DELETE', '/rule/0000000000000000', {}],
      ] as const) {
        const { status, description } = await api(server, key).ask(method, where, body);
        expect([method, where, status, description]).toEqual([
          method,
          where,
          403,
          'Only an administrator can do this.',
        ]);
      }
    }
  });
});
