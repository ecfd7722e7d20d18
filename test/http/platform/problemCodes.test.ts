import { describe, expect, test } from 'bun:test';
import { HOUR, later, MINUTE } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { ApiKeyId } from '../../../src/model/apiKey.ts';
import { PROBLEMS, type Problem } from '../../../src/model/problems.ts';
import { api, blockTasks, idsOf, LEASE_MS, SENTENCE } from '../../support/platform.ts';
import { addKey, addTenant, expectOk, NEVER_MS, startServer } from '../../support/server.ts';
import { ENGINE } from '../../support/testStorage.ts';
import { useClient, useIds, useServer, useTenant } from '../../support/useServer.ts';
import { type Ask, runScenarios, type Scenario, send } from '../scenario.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const otherTenant = useTenant(server);
const client = useClient(server, tenant);
const ids = useIds(server, tenant);

/** Problems that a test causes. */
const seen = new Set<Problem>();

/** Problems of other routes and commands, and problems that other tests cause. */
const ELSEWHERE: readonly Problem[] = [
  // test/http/tasksDns.test.ts
  'domain-unresolved',
  'dns-unanswered',
  // deprecation.test.ts: no operation is deprecated.
  'operation-sunset',
  // Requests that Elysia cannot parse.
  'request-malformed',
  // GET /puzzle.
  'rate-limited',
  'sitekey-malformed',
  'origin-missing',
  'property-unknown',
  'origin-not-allowed',
  'origin-without-domain',
  'rule-blocked',
  // rules.test.ts
  'rules-invalid',
  'rules-changed-meanwhile',
  'rule-unknown',
  'rules-number-malformed',
  'address-malformed',
  'page-path-malformed',
  // Commands and the portal.
  'import-not-applied',
  'plan-name-malformed',
  'plan-unknown',
  'email-malformed',
  'email-domain-malformed',
  'email-taken',
  'password-too-short',
  'password-common',
  'password-guessable',
  'passwords-busy',
  'password-too-long',
  'account-name-empty',
  'account-name-too-long',
  'account-name-malformed',
  'account-unknown',
  'account-disabled',
  'admin-only',
  'admin-last',
  'member-is-owner',
  'member-unknown',
  'member-already',
  'invitation-unknown',
  'invitation-not-yours',
  'invitations-limit',
  'key-name-empty',
  'key-name-too-long',
  'key-name-malformed',
  'key-malformed',
  'key-taken',
  'keys-limit',
  'key-unknown',
  'key-revoked',
  'key-expiry-past',
  'key-rate-malformed',
  'key-burst-malformed',
  'key-rate-too-high',
  'scope-unknown',
];

function asking(
  method: string,
  path: string,
  body?: unknown,
  key: string | undefined = tenant.portalKey,
): Ask {
  const headers = { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, path, headers, ...(body === undefined ? {} : { body: text }) };
}

type Row = readonly [
  problem: Problem,
  status: number,
  code: number,
  ask: () => Ask | Promise<Ask>,
  more?: Partial<Scenario>,
];

function rows(list: readonly Row[], of = server): void {
  runScenarios(
    of,
    list.map(([problem, status, code, ask, more]) => {
      seen.add(problem);
      return {
        title: `${code}, ${status}: ${problem}`,
        ask,
        status,
        json: {
          meta: {
            code,
            description: expect.stringMatching(SENTENCE),
            request_id: expect.stringMatching(/^[\w.:-]{1,128}$/),
          },
        },
        headers: { 'Content-Type': /application\/json/, 'Cache-Control': 'no-store', ETag: undefined },
        ...more,
        has: [PROBLEMS[problem].sentence.slice(0, -1), ...(more?.has ?? [])],
      };
    }),
  );
}

/** A batch with one new property. */
const creation = (item: object) => () =>
  asking('POST', `/org/${ids.org}/properties`, [{ name: 'Shop', domain: 'example.com', ...item }]);

/** The id of an organization that does not exist. */
const unknownOrganization = () => server.app.services.ids.seal('organization', 999_999 as never);

describe('a request is rejected with', () => {
  rows([
    ['path-unknown', 404, 1002, () => asking('GET', '/organizations')],
    ['task-unknown', 404, 1002, () => asking('GET', `/asynctask/${'a'.repeat(32)}`)],
    [
      'method-not-allowed',
      405,
      1003,
      () => asking('GET', '/org'),
      { headers: { Allow: 'POST, PUT, DELETE' } },
    ],
    ['key-not-accepted', 401, 1001, () => asking('GET', '/orgs', undefined, 'x'.repeat(40))],
    ['scope-not-enough', 403, 1001, () => asking('GET', '/orgs', undefined, tenant.verifyKey)],
    [
      'key-read-only',
      403,
      1001,
      async () => {
        const key = await addKey(server.app.services, tenant.account, 'portal', { isReadOnly: true });
        return asking('POST', '/org', { name: 'New' }, key);
      },
    ],
    [
      'key-secret-replaced',
      403,
      1001,
      async () => {
        const key = await addKey(server.app.services, tenant.account, 'portal');
        await api(server, key).ask('POST', '/apikey/rotate');
        return asking('POST', '/apikey/rotate', {}, key);
      },
    ],
    [
      'key-old-secret-ended',
      409,
      1001,
      async () => {
        const key = await addKey(server.app.services, tenant.account, 'portal');
        return { method: 'DELETE', path: '/apikey/old-secret', headers: { 'X-API-Key': key } };
      },
    ],
    [
      'keep-old-malformed',
      400,
      1001,
      async () => {
        const key = await addKey(server.app.services, tenant.account, 'portal');
        return asking('POST', '/apikey/rotate', { keep_old_seconds: 60 }, key);
      },
    ],
    [
      'media-type-unsupported',
      415,
      1001,
      () => ({ ...asking('POST', '/org', { name: 'x' }), headers: { 'X-API-Key': tenant.portalKey } }),
    ],
    ['body-too-large', 413, 1001, () => asking('POST', '/org', { name: 'x'.repeat(140_000) })],
    ['json-malformed', 400, 1001, () => asking('POST', '/org', '{"name":')],
    // JSON.parse of 1 MB of brackets or short members blocked the process for 50 to 400 ms.
    [
      'json-malformed',
      400,
      1001,
      () => asking('PUT', '/properties', `${'['.repeat(33)}${']'.repeat(33)}`),
      { has: ['32 levels'] },
    ],
    [
      'batch-too-large',
      400,
      1200,
      () => asking('PUT', '/properties', `[{${'"a":1,'.repeat(20_000)}"b":1}]`),
      { has: ['too many values'] },
    ],
    [
      'sitekey-read-only',
      400,
      1001,
      () => asking('PUT', '/properties', [{ id: ids.property, sitekey: 'none' }]),
    ],
    ['field-unknown', 400, 1001, () => asking('POST', '/org', { name: 'x', title: 'y' }), { has: ['title'] }],
    [
      'field-mistyped',
      400,
      1001,
      () => asking('POST', '/org', { name: 5 }),
      { has: ['name must be a string'] },
    ],
    [
      'query-malformed',
      400,
      1001,
      () => asking('GET', `/org/${ids.org}/properties?page=-1`),
      { has: ['page'] },
    ],
    ['batch-malformed', 400, 1001, () => asking('PUT', '/properties', [])],
    ['level-malformed', 400, 1001, creation({ level: 0 }), { has: ['level'] }],
    ['growth-unknown', 400, 1001, creation({ growth: 'steep' }), { has: ['growth'] }],
    ['challenge-unknown', 400, 1001, creation({ challenge: 'scrypt' }), { has: ['challenge'] }],
    ['validity-malformed', 400, 1001, creation({ validity_seconds: 59 }), { has: ['validity_seconds'] }],
    [
      'allow-subdomains-malformed',
      400,
      1001,
      creation({ allow_subdomains: 1 }),
      { has: ['allow_subdomains'] },
    ],
    [
      'allow-localhost-malformed',
      400,
      1001,
      creation({ allow_localhost: 'no' }),
      { has: ['allow_localhost'] },
    ],
    ['enabled-malformed', 400, 1001, creation({ enabled: 1 }), { has: ['enabled'] }],
    ['allowance-malformed', 400, 1001, creation({ max_replay_count: 0 }), { has: ['max_replay_count'] }],

    ['organization-name-empty', 400, 1100, () => asking('POST', '/org', {})],
    ['organization-name-too-long', 400, 1101, () => asking('POST', '/org', { name: 'x'.repeat(129) })],
    ['organization-name-malformed', 400, 1102, () => asking('POST', '/org', { name: '<b>' })],
    ['organization-name-taken', 409, 1103, () => asking('POST', '/org', { name: tenant.organization.name })],
    [
      'organizations-limit',
      403,
      1104,
      async () => {
        const { services } = server.app;
        const poor = await addTenant(server);
        await services.plans.set(INSTALLATION, { name: 'poor', organizations: 1, properties: 1 });
        expectOk(await services.users.setPlan(INSTALLATION, poor.account.id, 'poor'));
        return asking('POST', '/org', { name: 'New' }, poor.portalKey);
      },
    ],
    [
      'organization-unknown',
      404,
      1105,
      () => asking('PUT', '/org', { id: unknownOrganization(), name: 'New' }),
    ],
    [
      'organization-not-yours',
      403,
      1106,
      () => asking('GET', `/org/${idsOf(server, otherTenant).org}/properties`),
    ],
    [
      'organization-not-owned',
      403,
      1106,
      () => asking('DELETE', '/org', { id: idsOf(server, otherTenant).org }),
    ],
    [
      'key-organization-only',
      403,
      1106,
      async () => {
        const limit = { organizationId: tenant.organization.id };
        const key = await addKey(server.app.services, tenant.account, 'portal', limit);
        return asking('POST', '/org', { name: 'New' }, key);
      },
    ],
    ['organization-id-not-empty', 400, 1107, () => asking('POST', '/org', { id: ids.org, name: 'New' })],
    ['organization-id-empty', 400, 1108, () => asking('DELETE', '/org', {})],
    [
      'organization-owner-read-only',
      400,
      1001,
      () => asking('PUT', '/org', { id: ids.org, name: 'New', owner: 'someone@example.com' }),
    ],
    ['organization-id-malformed', 400, 1109, () => asking('DELETE', '/org', { id: ids.property })],

    ['batch-too-large', 400, 1200, () => asking('DELETE', '/properties', Array(129).fill(ids.property))],
    ['property-name-empty', 400, 1201, creation({ name: ' ' })],
    ['property-name-too-long', 400, 1202, creation({ name: 'x'.repeat(129) })],
    ['property-name-malformed', 400, 1203, creation({ name: 'a\u0000b' })],
    [
      'property-name-taken',
      409,
      1204,
      () => {
        const twins = ['Twin', 'TWIN'].map((name) => ({ name, domain: 'example.com' }));
        return asking('POST', `/org/${ids.org}/properties`, twins);
      },
    ],
    ['domain-empty', 400, 1205, creation({ domain: '' })],
    ['domain-localhost', 400, 1206, creation({ domain: 'localhost' })],
    ['domain-is-address', 400, 1207, creation({ domain: '127.0.0.1' })],
    ['domain-not-valid', 400, 1208, creation({ domain: 'a..b' })],
    ['domain-single-label', 400, 1208, creation({ domain: 'single' })],
    ['domain-is-suffix', 400, 1208, creation({ domain: 'co.uk' })],
    ['domain-malformed', 400, 1210, creation({ domain: 'https://example.com' })],
    ['property-id-empty', 400, 1211, () => asking('DELETE', '/properties', [''])],
    ['property-id-malformed', 400, 1212, () => asking('DELETE', '/properties', [ids.org])],
    ['property-id-repeated', 400, 1213, () => asking('DELETE', '/properties', [ids.property, ids.property])],
  ]);

  test('1212, 400: property-gone, in a request', async () => {
    const gone = server.app.services.ids.seal('property', 999_999 as never);
    expect(await client.get(`/org/${ids.org}/property/${gone}`)).toMatchObject({ status: 400, code: 1212 });
  });
});

describe('a server with a problem rejects a request with', () => {
  const limited = useServer({
    settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PORTAL_BURST: '2', POSTERN_PORTAL_RATE: '0.1' },
    // These tests damage the database, and the change watcher would report that before the request.
    watchEveryMs: NEVER_MS,
  });
  const guest = useTenant(limited);
  const get = () => asking('GET', '/orgs', undefined, guest.portalKey);
  const rest = () => {
    limited.clock.now = later(limited.clock.now, HOUR);
  };

  rows(
    [
      [
        'key-rate-limited',
        429,
        1001,
        async () => {
          for (let i = 0; i < 2; i++) expect(await send(limited.url, get())).toHaveProperty('status', 200);
          return get();
        },
        {
          headers: {
            'Retry-After': '10',
            'X-RateLimit-Limit': '2',
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset': '20',
          },
        },
      ],
      [
        'task-queue-full',
        429,
        1001,
        async () => {
          rest();
          await limited.raw.query(
            `INSERT INTO tasks (id, account_id, task_order, lease, leased_until, created_at)
             WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             SELECT i, ?, '{"kind":"delete-properties","items":[]}', 'elsewhere', ?, 0 FROM n`,
            [guest.account.id, limited.clock.now + LEASE_MS],
          );
          return asking('DELETE', '/properties', [idsOf(limited, guest).property], guest.portalKey);
        },
        { headers: { 'Retry-After': '5' } },
      ],
      [
        'maintenance',
        503,
        1001,
        async () => {
          rest();
          await limited.app.services.maintenance.set(INSTALLATION, true);
          return asking('POST', '/org', { name: 'New' }, guest.portalKey);
        },
        { headers: { 'Retry-After': '60' } },
      ],
      [
        'internal-error',
        500,
        1001,
        async () => {
          rest();
          await limited.app.services.maintenance.set(INSTALLATION, false);
          expect(await send(limited.url, get())).toHaveProperty('status', 200);
          await limited.raw.query('ALTER TABLE organizations RENAME TO elsewhere');
          return get();
        },
        {
          errors: ['request-failed'],
          // The notification of the change before makes the server read the database.
          ...(ENGINE === 'postgres' ? { possibleErrors: ['database-failed'] } : {}),
        },
      ],
      [
        'unavailable',
        503,
        1001,
        async () => {
          await limited.raw.query('ALTER TABLE api_keys RENAME TO unknownOrganization');
          // A key that is not cached.
          return asking('GET', '/orgs', undefined, 'y'.repeat(40));
        },
        {
          headers: { 'Retry-After': '1' },
          // A notification of PostgreSQL makes the server check the database at any time.
          [ENGINE === 'sqlite' ? 'errors' : 'possibleErrors']: ['database-failed'],
        },
      ],
    ],
    limited,
  );
});

describe('an item of a task is rejected with', () => {
  /** The entry of the item; the task itself was accepted. */
  function entryOf(problem: Problem, code: number) {
    seen.add(problem);
    return { code, description: PROBLEMS[problem].sentence };
  }

  test('1204 if the name is already in the database', async () => {
    const items = [{ name: 'BLOG', domain: 'example.org' }];
    expect(await client.run('POST', `/org/${ids.org}/properties`, items)).toEqual([
      { ...entryOf('property-name-taken', 1204), name: 'BLOG' },
    ]);
  });

  test('1212 if the property was deleted', async () => {
    const items = [{ name: 'Short-lived', domain: 'example.org' }];
    const [created] = await client.run('POST', `/org/${ids.org}/properties`, items);
    const id = created?.id ?? '';
    expect(await client.run('DELETE', '/properties', [id])).toMatchObject([{ code: 1000 }]);
    const gone = { ...entryOf('property-gone', 1212), id };
    expect(await client.run('DELETE', '/properties', [id])).toEqual([gone]);
    expect(await client.run('PUT', '/properties', [{ id, level: 2 }])).toEqual([gone]);
  });

  test('1214 if the property belongs to another user, and other items are applied', async () => {
    const theirs = idsOf(server, otherTenant).property;
    const items = [
      { id: theirs, level: 2 },
      { id: ids.property, level: 2 },
    ];
    const notYours = { ...entryOf('property-not-yours', 1214), id: theirs };
    expect(await client.run('PUT', '/properties', items)).toMatchObject([
      notYours,
      { code: 1000, id: ids.property },
    ]);
    expect(await client.run('DELETE', '/properties', [theirs])).toEqual([notYours]);
    expect((await server.app.services.stores.properties.list(otherTenant.organization.id))[0]).toMatchObject({
      level: 1,
    });
  });

  test('1001 if the key was revoked meanwhile', async () => {
    const thief = await addTenant(server);
    const { services } = server.app;
    const letGo = await blockTasks(server, thief);
    const as = api(server, thief.portalKey);
    const task = await as.delete<{ id: string }>('/properties', [idsOf(server, thief).property]);
    const key = (await services.apiKeys.list(INSTALLATION, thief.account)).find(
      ({ scope }) => scope === 'portal',
    );
    expectOk(await services.apiKeys.revoke(INSTALLATION, key?.id as ApiKeyId));
    await letGo();
    await client.run('PUT', '/properties', [{ id: ids.property, level: 3 }]);
    const other = api(server, await addKey(services, thief.account, 'portal'));
    const rejected = entryOf('task-key-revoked', 1001);
    expect(await other.finished(task.data.id)).toEqual([{ ...rejected, id: idsOf(server, thief).property }]);
    expect(await other.get(`/org/${idsOf(server, thief).org}/properties`)).toMatchObject({ data: [{}] });
  });

  test('1001 if the user was disabled meanwhile', async () => {
    const loser = await addTenant(server);
    const { users } = server.app.services;
    const letGo = await blockTasks(server, loser);
    const as = api(server, loser.portalKey);
    const task = await as.delete<{ id: string }>('/properties', [idsOf(server, loser).property]);
    expectOk(await users.disable(INSTALLATION, loser.account.id));
    expect(await as.get(`/asynctask/${task.data.id}`)).toMatchObject({ status: 401, data: null });
    await letGo();
    await client.run('PUT', '/properties', [{ id: ids.property, level: 3 }]);
    expectOk(await users.enable(INSTALLATION, loser.account.id));
    const rejected = entryOf('task-account-disabled', 1001);
    expect(await as.finished(task.data.id)).toEqual([{ ...rejected, id: idsOf(server, loser).property }]);
    expect(await as.get(`/org/${idsOf(server, loser).org}/properties`)).toMatchObject({ data: [{}] });
  });

  test('1300 if the quota is exceeded, and earlier items are applied', async () => {
    const poor = await addTenant(server);
    const { plans, users } = server.app.services;
    await plans.set(INSTALLATION, { name: 'three', organizations: 9, properties: 3 });
    expectOk(await users.setPlan(INSTALLATION, poor.account.id, 'three'));
    const items = ['a', 'b', 'c', 'd'].map((name) => ({ name, domain: 'example.com' }));
    const full = entryOf('properties-limit', 1300);
    expect(
      await api(server, poor.portalKey).run('POST', `/org/${idsOf(server, poor).org}/properties`, items),
    ).toMatchObject([{ code: 1000, name: 'a' }, { code: 1000, name: 'b' }, { ...full, name: 'c' }, full]);
  });

  test('1105 and 1106 if the organization was deleted or the user removed meanwhile', async () => {
    const { services } = server.app;
    const owner = await addTenant(server);
    const member = await addTenant(server);
    const id = idsOf(server, owner).org;
    expectOk(await services.members.add(INSTALLATION, owner.organization.id, member.account));
    const as = api(server, member.portalKey);
    const letGo = await blockTasks(server, member);
    const items = [{ name: 'New', domain: 'example.com' }];
    const [first, second] = [
      await as.post<{ id: string }>(`/org/${id}/properties`, items),
      await as.post<{ id: string }>(`/org/${idsOf(server, member).org}/properties`, items),
    ];
    expectOk(await services.members.remove(INSTALLATION, owner.organization.id, member.account.id));
    expect(await as.delete('/org', { id: idsOf(server, member).org })).toMatchObject({ code: 1000 });
    await letGo();
    // Any task makes the runner check the queue.
    await client.run('PUT', '/properties', [{ id: ids.property, level: 3 }]);
    expect(await as.finished(first.data.id)).toEqual([
      { ...entryOf('organization-not-yours', 1106), name: 'New' },
    ]);
    expect(await as.finished(second.data.id)).toEqual([
      { ...entryOf('organization-unknown', 1105), name: 'New' },
    ]);
  });
});

describe('all tests together', () => {
  test('cause every problem of the Platform API', () => {
    const known = (Object.keys(PROBLEMS) as Problem[]).filter((problem) => !ELSEWHERE.includes(problem));
    expect([...seen].sort()).toEqual(known.sort());
  });

  test('cause every code except 1004, 1209, and those of rules, which other files cover', () => {
    const codes = new Set([...seen].map((problem) => PROBLEMS[problem].code));
    const all = [1000, ...codes, 1004, 1209, 1400, 1401, 1402].sort();
    const contract = [
      [1000, 1001, 1002, 1003, 1004],
      Array.from({ length: 10 }, (_, i) => 1100 + i),
      Array.from({ length: 15 }, (_, i) => 1200 + i),
      [1300],
      [1400, 1401, 1402],
    ].flat();
    expect(all).toEqual(contract);
    expect([...new Set(Object.values(PROBLEMS).map(({ code }) => code))].sort()).toEqual(contract.slice(1));
  });

  test('include success with code 1000', async () => {
    expect(await client.get('/orgs')).toMatchObject({
      status: 200,
      code: 1000,
      description: 'The operation succeeded.',
    });
  });

  test('include a successful retry after Retry-After of a 429', async () => {
    const slow = await startServer({ settings: { POSTERN_PORTAL_BURST: '1', POSTERN_PORTAL_RATE: '0.1' } });
    const { portalKey } = await addTenant(slow);
    const as = api(slow, portalKey);
    expect(await as.get('/orgs')).toMatchObject({ status: 200 });
    const { status, headers } = await as.get('/orgs');
    expect(status).toBe(429);
    slow.clock.now = later(slow.clock.now, Number(headers.get('retry-after')) * (MINUTE / 60));
    expect(await as.get('/orgs')).toMatchObject({ status: 200 });
    await slow.stop();
  });
});
