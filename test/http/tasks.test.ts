import { describe, expect, test } from 'bun:test';
import { createScheduledJobs } from '../../src/jobs/scheduledJobs.ts';
import { DAY, later } from '../../src/lib/time.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { PROBLEMS } from '../../src/model/problems.ts';
import { createFakeLedger } from '../captcha/fakes.ts';
import { type Api, api, type Entry, idsOf } from '../support/platform.ts';
import { addKey, addTenant, expectOk } from '../support/server.ts';
import { useServer } from '../support/useServer.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_PROPERTIES: '100000' } });

type Task = { readonly id: string; readonly finished: boolean; readonly result: readonly Entry[] | null };

/** A client of the Platform API with an organization and a property. */
async function open() {
  const tenant = await addTenant(server);
  const { org, property } = idsOf(server, tenant);
  const client: Api = api(server, tenant.portalKey);
  const path = `/org/${org}/properties`;
  const start = async (method: 'POST' | 'PUT' | 'DELETE', at: string, body: unknown) =>
    (await client.ask<{ id: string }>(method, at, body)).data.id;
  const names = async () =>
    (await client.get<{ name: string }[]>(`${path}?sort=date_asc`)).data.map(({ name }) => name);
  return { tenant, org, old: property, client, path, start, names };
}

const item = (name: string, more: object = {}) => ({ name, domain: 'example.com', ...more });
const sentence = (problem: keyof typeof PROBLEMS) => PROBLEMS[problem].sentence;

describe('the result of a task', () => {
  const DONE = { code: 1000, description: 'The operation succeeded.' };

  test('has the entries of a creation in the order of the request', async () => {
    const { client, path, tenant } = await open();
    const given = ['b', 'BLOG', 'a', 'c'];
    const result = await client.run(
      'POST',
      path,
      given.map((name) => item(name)),
    );
    const { data: list } = await client.get<Entry[]>(path);
    const created = (name: string) => ({ ...DONE, ...list.find((one) => one.name === name) });
    expect(result).toEqual([
      created('b'),
      { code: 1204, description: sentence('property-name-taken'), name: 'BLOG' },
      created('a'),
      created('c'),
    ]);
    expect(list).toHaveLength(4);
    expect(result[1]?.sitekey).not.toBe(tenant.property.sitekey);
  });

  test('identifies each updated and deleted property, and its code', async () => {
    const [mine, theirs] = [await open(), await open()];
    const [gone, kept] = await mine.client.run('POST', mine.path, [item('gone'), item('kept')]);
    const [deleted] = await mine.client.run('DELETE', '/properties', [gone?.id]);
    expect(deleted).toEqual({
      ...DONE,
      id: gone?.id as string,
      name: 'gone',
      sitekey: gone?.sitekey as string,
    });
    const rejected = (id: string | undefined, code: number, problem: keyof typeof PROBLEMS) => ({
      code,
      description: sentence(problem),
      id: id as string,
    });
    const expected = [
      rejected(gone?.id, 1212, 'property-gone'),
      { ...DONE, id: kept?.id as string, name: 'new', sitekey: kept?.sitekey as string },
      rejected(theirs.old, 1214, 'property-not-yours'),
      rejected(mine.old, 1204, 'property-name-taken'),
    ];
    const updates = [
      { id: gone?.id, level: 4 },
      { id: kept?.id, name: 'new' },
      { id: theirs.old, level: 4 },
      { id: mine.old, name: 'NEW' },
    ];
    expect(await mine.client.run('PUT', '/properties', updates)).toEqual(expected);
    const deletion = await mine.client.run('DELETE', '/properties', [theirs.old, kept?.id, gone?.id]);
    expect(deletion).toEqual([expected[2], expected[1], expected[0]] as Entry[]);
    expect(await theirs.names()).toEqual(['Blog']);
    expect(await mine.names()).toEqual(['Blog']);
  });

  test('is null until the task is finished', async () => {
    const { client, start, path } = await open();
    const id = await start('POST', path, [item('a')]);
    for (;;) {
      const { data } = await client.get<Task>(`/asynctask/${id}`);
      expect(Object.keys(data)).toEqual(['id', 'finished', 'result']);
      expect(data.id).toBe(id);
      expect(data.result === null).toBe(!data.finished);
      if (data.finished) break;
    }
  });

  test('does not exist for an invalid batch, which starts no task', async () => {
    const { client, path, names, tenant } = await open();
    const before = await server.raw.query('SELECT count(*) AS n FROM tasks');
    const { code, data } = await client.post<object>(path, [item('good'), item(''), item('x', { level: 0 })]);
    expect(code).toBe(1201);
    expect(data).toMatchObject({ errors: [{ index: 1 }, { index: 2 }] });
    expect(await server.raw.query('SELECT count(*) AS n FROM tasks')).toEqual(before);
    expect(await names()).toEqual([tenant.property.name]);
  });
});

describe('a task', () => {
  test('is visible only to its user, with any key that is not limited', async () => {
    const [mine, theirs] = [await open(), await open()];
    const id = await mine.start('POST', mine.path, [item('secret name')]);
    const { services } = server.app;
    const { account, organization } = mine.tenant;
    const limited = api(
      server,
      await addKey(services, account, 'portal', { organizationId: organization.id }),
    );
    const other = api(server, await addKey(services, account, 'portal', { isReadOnly: true }));
    await mine.client.finished(id);
    expect((await other.finished(id))[0]).toMatchObject({ code: 1000, name: 'secret name' });
    for (const otherTenant of [theirs.client, limited]) {
      const { status, code, data } = await otherTenant.get(`/asynctask/${id}`);
      expect({ status, code, data }).toEqual({ status: 404, code: 1002, data: null });
    }
    const own = (await limited.post<{ id: string }>(mine.path, [item('limited')])).data.id;
    expect(await limited.finished(own)).toHaveLength(1);
    expect(await mine.client.finished(own)).toHaveLength(1);
  });

  test('with an unknown or invalid id is not found', async () => {
    const { client, start, path } = await open();
    const id = await start('POST', path, [item('a')]);
    const outsiders = [
      '0'.repeat(32),
      id.toUpperCase() === id ? '1'.repeat(32) : id.toUpperCase(),
      id.slice(1),
      `${id}0`,
      `${id.slice(1)}g`,
      `${id}%20`,
      `%00${id}`,
      "'%20OR%201=1--",
      'x'.repeat(2000),
      '1',
      'null',
    ];
    for (const otherTenant of outsiders) {
      const { status, code, data } = await client.get(`/asynctask/${otherTenant}`);
      expect({ otherTenant, status, code, data }).toEqual({
        otherTenant,
        status: 404,
        code: 1002,
        data: null,
      });
    }
  });

  test('is stored for seven days after its end', async () => {
    const { client, start, path } = await open();
    const id = await start('POST', path, [item('a')]);
    await client.finished(id);
    const endedAt = server.clock.now;
    const jobs = createScheduledJobs({
      ledger: createFakeLedger(),
      pruneSigningKeys: async () => 0,
      keyFingerprints: async () => [],
      checkClock: async () => 0,
      confirmClock: async () => true,
      recordWidgetBuild: async () => 0,
      warnOfExpiringKeys: async () => 0,
      ...server.app.services.stores,
      ...server.app.services.shared,
      sessions: server.app.services.authentication.sessions,
      auditDays: 365,
      sessionMaxDays: 7,
      clock: () => server.clock.now,
    });
    const purge = async () => jobs.find(({ name }) => name === 'purge-tasks')?.run({ isHeld: () => true });
    server.clock.now = later(endedAt, 7 * DAY);
    await purge();
    expect((await client.get(`/asynctask/${id}`)).status).toBe(200);
    server.clock.now = later(endedAt, 7 * DAY + 1);
    expect(await purge()).toBeGreaterThan(0);
    expect((await client.get(`/asynctask/${id}`)).code).toBe(1002);
    server.clock.now = endedAt;
  });
});

describe('a partial update', () => {
  const members = {
    name: ['Renamed', 'Blog'],
    domain: ['other.example', 'example.com'],
    level: [77, 1],
    growth: ['fast', 'constant'],
    challenge: ['argon2id', 'blake2b'],
    validity_seconds: [61, 1800],
    allow_subdomains: [true, false],
    allow_localhost: [true, false],
    max_replay_count: [9, 1],
    enabled: [false, true],
  } as const;
  type Member = keyof typeof members;
  const all = Object.keys(members) as Member[];

  test('does not change missing settings, regardless of the settings that it contains', async () => {
    const { client, org, old } = await open();
    const show = async () => (await client.get<object>(`/org/${org}/property/${old}`)).data;
    const before = await show();
    // Each setting alone, all but each, each with the next one, none, and all.
    const choices: readonly Member[][] = [
      ...all.map((one) => [one]),
      ...all.map((one) => all.filter((other) => other !== one)),
      ...all.map((one, i) => [one, all[(i + 1) % all.length] as Member]),
      [],
      all,
    ];
    for (const chosen of choices) {
      const change = Object.fromEntries(chosen.map((name) => [name, members[name][0]]));
      const [entry] = await client.run('PUT', '/properties', [{ id: old, ...change }]);
      expect(entry?.code).toBe(1000);
      expect(await show()).toEqual({ ...before, ...change });
      const back = Object.fromEntries(all.map((name) => [name, members[name][1]]));
      await client.run('PUT', '/properties', [{ id: old, ...back }]);
      expect(await show()).toEqual(before);
    }
  });
});

describe('several tasks', () => {
  test("together do not exceed the owner's quota or create a name twice", async () => {
    const { client, path, tenant, names } = await open();
    const { services } = server.app;
    const plan = { name: 'ten', organizations: 5, properties: 10 };
    expectOk(await services.plans.set(INSTALLATION, plan));
    expectOk(await services.users.setPlan(INSTALLATION, tenant.account.id, 'ten'));
    const second = await addTenant(server);
    expectOk(await services.members.add(INSTALLATION, tenant.organization.id, second.account));
    const other = api(server, second.portalKey);
    const batch = (from: number) => Array.from({ length: 8 }, (_, i) => item(`n${from + i}`));
    const results = await Promise.all([
      client.run('POST', path, batch(0)),
      other.run('POST', path, batch(4)),
    ]);
    const codes = results.flat().map(({ code }) => code);
    expect(codes.filter((code) => code === 1000)).toHaveLength(9);
    expect(codes.filter((code) => ![1000, 1204, 1300].includes(code))).toEqual([]);
    const created = await names();
    expect(created).toHaveLength(10);
    expect(new Set(created).size).toBe(10);
  });

  test('can use a name that an earlier task made available', async () => {
    const { client, path, old, start, names } = await open();
    const ids = [
      await start('POST', path, [item('a')]),
      await start('DELETE', '/properties', [old]),
      await start('POST', path, [item('BLOG')]),
    ];
    const results = await Promise.all(ids.map((id) => client.finished(id)));
    expect(results.flat().map(({ code }) => code)).toEqual([1000, 1000, 1000]);
    expect(await names()).toEqual(['a', 'BLOG']);
  });

  test('of one user end in their order, even with concurrent tasks of others', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, open));
    const each = Array.from({ length: 20 }, (_, i) => i);
    const ids = await Promise.all(
      users.map(async ({ start, old }) => {
        const own = [];
        for (const i of each) own.push(await start('PUT', '/properties', [{ id: old, level: i + 1 }]));
        return own;
      }),
    );
    await Promise.all(users.map(({ client }, i) => client.finished(ids[i]?.at(-1) ?? '')));
    const select = 'SELECT id FROM tasks WHERE finished_at IS NOT NULL ORDER BY number';
    const finished = (await server.raw.query<{ id: string }>(select)).map(({ id }) => id);
    for (const [i, { client, org, old }] of users.entries()) {
      expect(finished.filter((id) => ids[i]?.includes(id))).toEqual(ids[i] as string[]);
      const { data } = await client.get<{ level: number }>(`/org/${org}/property/${old}`);
      expect(data.level).toBe(20);
    }
  });
});
