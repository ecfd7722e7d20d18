import { beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY, HOUR, type Instant, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Challenge } from '../../../src/model/propertyFields.ts';
import { COUNTER, COUNTS_SIZE, settingsCode, toBucket, toHour } from '../../../src/model/statistics.ts';
import { createReadLastDays } from '../../../src/platform/overview/lastDay.ts';
import { createStatistics } from '../../../src/platform/properties/statistics.ts';
import { parsePayload, toPayload } from '../../../src/puzzle/solution.ts';
import { useFolders } from '../../storage/folder.ts';
import { api, idsOf, type Reply } from '../../support/platform.ts';
import { addTenant, expectOk, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { describeSqlite } from '../../support/testStorage.ts';
import { useServer, useTenant } from '../../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, solve, verify } from '../../support/visitor.ts';
import { runScenarios, send } from '../scenario.ts';

const makeFolder = useFolders();

/** Statistics, from requests of visitors to the response of the API. */

let path: string;

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } }, { per: 'test' });
const tenant = useTenant(server, { allowance: 2 }, { per: 'test' });
beforeEach(() => {
  path = pathOf(tenant);
});

function pathOf(of: Tenant, on = server): string {
  const { org, property } = idsOf(on, of);
  return `/org/${org}/property/${property}/stats`;
}

type Totals = Record<'issued' | 'verified' | 'repeated' | 'failed', number>;

type Data = {
  readonly step: string;
  readonly from: string;
  readonly until: string;
  readonly difficulty: number;
  readonly totals: Totals;
  readonly rates: { readonly solved: number | null; readonly accepted: number | null };
  readonly failures: Readonly<Record<string, number>>;
  readonly solve_time_ms: Readonly<Record<'p50' | 'p75' | 'p90' | 'p95' | 'p99', number | null>>;
  readonly level_advice: Readonly<Record<string, unknown>>;
  readonly solvers: { readonly reported: number; readonly used_wasm: number };
  readonly series: readonly (Totals & { readonly from: string })[];
};

/** The report of the API after all counts are stored. */
async function read(range?: string, of: Tenant = tenant): Promise<Data> {
  await server.app.flush();
  const reply: Reply<Data> = await api(server, of.portalKey).get(
    pathOf(of) + (range === undefined ? '' : `?range=${range}`),
  );
  expect(reply.status).toBe(200);
  return reply.data;
}

const visit = () => fetchAndSolve(server.url, tenant.property.sitekey);
const present = (payload: string, key = tenant.verifyKey, headers = {}) =>
  verify(server.url, key, payload, headers);

/** A valid payload with this metadata. */
async function visitSaying(elapsedMs: number, usedWasm: boolean): Promise<string> {
  const puzzle = await fetchPuzzle(server.url, tenant.property.sitekey);
  const solutions = parsePayload(solve(puzzle))?.solutions ?? new Uint8Array();
  return toPayload({ errorCode: 0, usedWasm, elapsedMs }, solutions, puzzle);
}

describe('the statistics', () => {
  test('of an unused property are zero in every step, without solve times', async () => {
    const data = await read();
    expect(data).toMatchObject({ step: 'hour', difficulty: 1 });
    expect(data.totals).toEqual({ issued: 0, verified: 0, repeated: 0, failed: 0 });
    expect(data.rates).toEqual({ solved: null, accepted: null });
    expect(Object.values(data.failures)).toEqual(new Array(8).fill(0));
    expect(data.solve_time_ms).toEqual({ p50: null, p75: null, p90: null, p95: null, p99: null });
    expect(data.series).toHaveLength(24);
  });

  test('count issued puzzles and verified, repeated, and failed solutions by code', async () => {
    const otherTenant = await addTenant(server);
    const payload = await visit();
    for (const code of [0, 8, 8]) expect((await present(payload)).code).toBe(code);
    expect((await present(await visit(), otherTenant.verifyKey)).code).toBe(7);
    expect((await present(await visit(), undefined, { 'X-PC-Sitekey': '0'.repeat(32) })).code).toBe(6);
    const late = await visit();
    server.clock.now = later(server.clock.now, HOUR);
    expect((await present(late)).code).toBe(5);
    const { totals, rates, failures } = await read();
    expect(totals).toEqual({ issued: 4, verified: 1, repeated: 1, failed: 3 });
    expect(rates).toEqual({ solved: 0.25, accepted: 0.4 });
    expect(failures).toEqual({
      'error-other': 0,
      'solution-duplicates': 0,
      'solution-invalid': 0,
      'puzzle-expired': 1,
      'property-invalid': 1,
      'property-owner-mismatch': 0,
      'solution-verified-before': 1,
      'org-scope-error': 0,
    });
    expect((await read(undefined, otherTenant)).totals).toEqual({
      issued: 0,
      verified: 0,
      repeated: 0,
      failed: 0,
    });
  });

  test('include /siteverify', async () => {
    const body = new URLSearchParams({ secret: tenant.verifyKey, response: await visit() });
    await fetch(`${server.url}/siteverify`, { method: 'POST', body });
    expect((await read()).totals.verified).toBe(1);
  });

  test('contain the solve times of accepted solutions that widgets reported', async () => {
    for (const seconds of [1, 2, 3, 4]) {
      const payload = await visitSaying(1000 * seconds, seconds > 1);
      await present(payload);
      await present(payload);
    }
    const { solve_time_ms: times, solvers } = await read();
    expect(solvers).toEqual({ reported: 4, used_wasm: 3 });
    for (const [share, exact] of [
      ['p50', 2000],
      ['p75', 3000],
      ['p90', 4000],
      ['p95', 4000],
      ['p99', 4000],
    ] as const) {
      expect(Math.abs((times[share] ?? 0) - exact)).toBeLessThanOrEqual(0.125 * exact);
    }
  });

  test('contain advice on the level from the solve times since the level was last changed', async () => {
    const none = { p95_ms: null, assessment: null, higher: null, lower: null };
    for (let i = 0; i < 99; i++) await present(await visitSaying(300, true));
    expect((await read()).level_advice).toEqual({ level: 1, samples: 99, min_samples: 100, ...none });
    await present(await visitSaying(3000, true));
    const advice = { level: 1, samples: 100, min_samples: 100, p95_ms: 320, assessment: 'fast' };
    const higher = { level: 9, p95_ms: 640 };
    expect((await read()).level_advice).toEqual({ ...advice, higher, lower: null });

    const changed = [{ id: idsOf(server, tenant).property, level: 9 }];
    await api(server, tenant.portalKey).run('PUT', '/properties', changed);
    expect((await read()).level_advice).toMatchObject({ level: 9, samples: 0, assessment: null });
    // The hour of the change has solve times of both levels. The next one has only those of the new level.
    await present(await visitSaying(300, true));
    expect((await read()).level_advice).toMatchObject({ level: 9, samples: 0 });
    server.clock.now = later(server.clock.now, HOUR);
    await present(await visitSaying(300, true));
    expect((await read()).level_advice).toMatchObject({ level: 9, samples: 1 });
    server.clock.now = later(server.clock.now, 28 * DAY);
    expect((await read()).level_advice).toMatchObject({ level: 9, samples: 0 });
  });

  test('contain advice only from solve times of the same kind of puzzles', async () => {
    const one = await addTenant(server, { level: 156, challenge: 'argon2id' });
    const counts = new Array<number>(COUNTS_SIZE).fill(0);
    counts[COUNTER.solved + toBucket(3000)] = 100;
    const store = async (challenge: Challenge) => {
      counts[COUNTER.settings] = 100 * settingsCode({ level: 156, challenge });
      const record = { sitekey: one.property.sitekey, hour: toHour(server.clock.now), counts };
      await server.app.services.stores.statistics.add([record]);
      server.clock.now = later(server.clock.now, HOUR);
    };
    await store('blake2b');
    expect((await read('24h', one)).level_advice).toMatchObject({ level: 156, samples: 0 });
    await store('argon2id');
    // At level 148, the property would issue BLAKE2b puzzles.
    const advice = { level: 156, samples: 100, assessment: 'slow', higher: { level: 164 }, lower: null };
    expect((await read('24h', one)).level_advice).toMatchObject(advice);
  });

  test('contain the current difficulty, without an effect on it', async () => {
    const busy = await addTenant(server, { level: 100, growth: 'fast' });
    expect((await read('24h', busy)).difficulty).toBe(100);
    for (let i = 0; i < 400; i++) await fetchPuzzle(server.url, busy.property.sitekey);
    const { difficulty } = await read('24h', busy);
    expect(difficulty).toBeGreaterThan(100);
    for (let i = 0; i < 50; i++) expect((await read('24h', busy)).difficulty).toBe(difficulty);
    server.clock.now = later(server.clock.now, 3 * HOUR);
    expect((await read('24h', busy)).difficulty).toBe(100);
  });

  test('are in memory until they are stored, and available after a restart', async () => {
    const dataDir = makeFolder();
    const first = await startServer({ dataDir });
    const owner = await addTenant(first);
    const payload = await fetchAndSolve(first.url, owner.property.sitekey);
    await verify(first.url, owner.verifyKey, payload);
    const ask = (on: TestServer) => api(on, owner.portalKey).get<Data>(pathOf(owner, on));
    expect((await ask(first)).data.totals).toMatchObject({ issued: 0, verified: 0 });
    await first.stop();
    const second = await startServer({ dataDir });
    second.clock.now = first.clock.now;
    expect((await ask(second)).data.totals).toMatchObject({ issued: 1, verified: 1 });
    await second.stop();
  });
});

describe('a range', () => {
  const noon = Date.UTC(2026, 1, 28, 12) as Instant;

  /** Issues a puzzle at each of these times before 12:30. */
  async function issueBefore(ages: readonly number[]): Promise<void> {
    for (const age of ages.toSorted((a, b) => b - a)) {
      server.clock.now = later(noon, HOUR / 2 - age);
      await fetchPuzzle(server.url, tenant.property.sitekey);
    }
    server.clock.now = later(noon, HOUR / 2);
  }

  test.each([
    ['24h', 'hour', 24, HOUR, '2026-02-27T13:00:00.000Z', '2026-02-28T13:00:00.000Z'],
    ['7d', 'hour', 168, HOUR, '2026-02-21T13:00:00.000Z', '2026-02-28T13:00:00.000Z'],
    ['30d', 'day', 30, DAY, '2026-01-30T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
    ['1y', 'day', 365, DAY, '2025-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ] as const)(
    'of %s has a step for each %s, %d in total',
    async (range, step, count, length, from, until) => {
      const start = Date.parse(from);
      const first = later(noon, HOUR / 2) - start;
      // In the first step, right before it, in the second to last step, and in the last one.
      await issueBefore([first, first + 1, length, 0]);
      const data = await read(range);
      expect(data).toMatchObject({ step, from, until });
      const starts = Array.from({ length: count }, (_, index) =>
        new Date(start + index * length).toISOString(),
      );
      expect(data.series.map((one) => one.from)).toEqual(starts);
      const issued = data.series.flatMap((one, index) => (one.issued === 0 ? [] : [[index, one.issued]]));
      expect(issued).toEqual([
        [0, 1],
        [count - 2, 1],
        [count - 1, 1],
      ]);
      expect(data.totals.issued).toBe(3);
    },
  );

  test.each([
    ['2026-02-27', '2026-02-28', 'hour', 24, '2026-02-27T00:00:00.000Z', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28', '2026-03-01', 'hour', 13, '2026-02-28T00:00:00.000Z', '2026-02-28T13:00:00.000Z'],
    [
      '2026-02-27T10:20:00Z',
      '2026-02-27T13:20:00%2B01:00',
      'hour',
      3,
      '2026-02-27T10:00:00.000Z',
      '2026-02-27T13:00:00.000Z',
    ],
    ['2026-02-20', '2026-02-28', 'day', 8, '2026-02-20T00:00:00.000Z', '2026-02-28T00:00:00.000Z'],
    ['2025-12-01', '2025-12-02', 'day', 1, '2025-12-01T00:00:00.000Z', '2025-12-02T00:00:00.000Z'],
  ])('from %s until %s has a step for each %s, %d in total', async (from, until, step, count, start, end) => {
    // In each range, in the steps before it, and in the steps after it.
    await issueBefore([HOUR / 2, DAY + 2 * HOUR, DAY, 3 * DAY, 9 * DAY, 89 * DAY]);
    await server.app.flush();
    const { data } = await api(server, tenant.portalKey).get<Data>(`${path}?from=${from}&until=${until}`);
    expect(data).toMatchObject({ range: 'custom', step, from: start, until: end });
    expect(data.series).toHaveLength(count);
    const all = (await read('1y')).series.filter((one) => one.from >= start && one.from < end);
    const issued = data.series.reduce((sum, one) => sum + one.issued, 0);
    expect(issued).toBe(data.totals.issued);
    if (step === 'day') expect(data.series).toEqual(all);
    else expect(issued).toBe(start.startsWith('2026-02-27') ? 2 : 1);
  });

  test('is the same after old hours were combined into days', async () => {
    await issueBefore([0, 29 * DAY, 31 * DAY, 40 * DAY, 200 * DAY]);
    const before = await Promise.all(['30d', '1y'].map((range) => read(range)));
    const { statistics } = server.app.services.stores;
    const monthAgo = Math.floor(later(server.clock.now, -30 * DAY) / HOUR);
    // Three days of the property, of its organization, and of the installation.
    expect(await statistics.rollUp(monthAgo as never)).toBe(9);
    expect(await Promise.all(['30d', '1y'].map((range) => read(range)))).toEqual(before);
    expect(before.map(({ totals }) => totals.issued)).toEqual([2, 5]);
  });
});

describe('an invalid query is rejected with the name of the parameter:', () => {
  const rejected = (query: string, sentence: RegExp) => ({
    title: query,
    ask: () => ({ path: path + query, headers: { 'X-API-Key': tenant.portalKey } }),
    status: 400,
    json: { meta: { code: 1001 }, data: null },
    has: [sentence],
  });
  runScenarios(server, [
    rejected('?range=2h', /range must be one of 24h, 7d, 30d, 1y/),
    rejected('?range=', /range must be one of/),
    rejected('?range=7d&range=7d', /range can be given only once/),
    rejected('?range=7d&to=now', /there is no parameter \\"to\\"/),
    rejected('?range=7d&until=2026-01-01', /range cannot be combined with from and until/),
    rejected('?until=2026-01-01', /from and until must be given together/),
    rejected('?from=2026-01-01', /from and until must be given together/),
    rejected('?from=soon&until=2026-01-01', /from must be a date or a time such as/),
    rejected('?from=2026-01-01&until=2026-02-30', /until must be a date or a time such as/),
    rejected('?from=2026-01-02&until=2026-01-02', /from must be before until/),
    rejected('?from=2026-01-02&until=9999-01-01', /until must not be after the end of today/),
    rejected('?from=2000-01-01&until=2000-01-02', /from must be at most 730 days ago/),
    rejected('?from=2026-01-01&from=2026-01-02', /from can be given only once/),
    rejected('?Range=7d', /there is no parameter \\"Range\\"/),
  ]);
});

/** The use cases without HTTP. */
function createUseCases() {
  const { services } = server.app;
  return createStatistics({
    store: services.stores.statistics,
    properties: services.properties,
    access: services.access,
    isComparable: () => true,
    difficultyOf: () => 1,
    clock: () => server.clock.now,
  });
}

test('the totals of the last day in a list are those of the reports', async () => {
  const other = await addTenant(server);
  const quiet = await addTenant(server);
  await present(await visit());
  await fetchPuzzle(server.url, other.property.sitekey);
  server.clock.now = later(server.clock.now, 23 * HOUR);
  await visit();
  const all = [tenant, other, quiet];
  const reports = await Promise.all(all.map((one) => read('24h', one)));
  const { statistics } = server.app.services.stores;
  const readLastDays = createReadLastDays(statistics, () => server.clock.now);
  const sums = await readLastDays(all.map(({ property }) => ({ property: property.id })));
  expect(sums.map(({ series, ...totals }) => totals)).toEqual(reports.map(({ totals }) => totals));
  expect(sums.map(({ series }) => series)).toEqual(
    reports.map((one) => one.series.map(({ issued }) => issued)),
  );
  expect(reports.map(({ totals }) => totals.issued)).toEqual([2, 1, 0]);
  server.clock.now = later(server.clock.now, HOUR);
  expect(await readLastDays([{ property: tenant.property.id }])).toMatchObject([{ issued: 1 }]);
});

test('events without a known property are counted for the installation', async () => {
  await present('garbage');
  const payload = await visit();
  const [head, puzzle, signature = ''] = payload.split('.');
  // Another fingerprint of the key, whose first byte is 1, or 2 if it was 1.
  const start = signature.startsWith('AQAB') ? 'AQAC' : 'AQAB';
  await present(`${head}.${puzzle}.${start}${signature.slice(start.length)}`);
  await server.app.flush();
  const { totals, failures } = expectOk(await createUseCases().ofInstallation(INSTALLATION, 'none', '24h'));
  expect(totals).toEqual({ issued: 0, verified: 0, repeated: 0, failed: 2 });
  expect([...failures]).toEqual([
    [4, 1],
    [11, 1],
  ]);
  expect((await read()).totals).toEqual({ issued: 1, verified: 0, repeated: 0, failed: 0 });
});

test('a verification with the key of another user is counted for the installation', async () => {
  const otherTenant = await addTenant(server);
  const payload = await visit();
  for (const key of [otherTenant.verifyKey, otherTenant.verifyKey, tenant.verifyKey]) {
    await verify(server.url, key, payload);
  }
  await server.app.flush();
  const { failures } = expectOk(await createUseCases().ofInstallation(INSTALLATION, 'none', '24h'));
  expect(failures.get(7)).toBe(2);
  expect((await read()).totals).toEqual({ issued: 1, verified: 1, repeated: 0, failed: 0 });
});

describe('privacy', () => {
  const proxied = {
    'X-Forwarded-For': '203.0.113.77',
    'User-Agent': 'Visitor/7.7',
    Referer: 'https://shop.example.com/secret-page',
  };

  /** @returns the solution that a visitor presents three times */
  async function presentThrice(): Promise<string> {
    const ask = {
      path: `/puzzle?sitekey=${tenant.property.sitekey}`,
      headers: { ...proxied, Origin: 'https://example.com' },
    };
    const puzzle = await (await send(server.url, ask)).text();
    const payload = solve(puzzle);
    for (let i = 0; i < 3; i++) await present(payload, undefined, proxied);
    await server.app.flush();
    return payload;
  }

  test('the tables contain only counts', async () => {
    await presentThrice();
    for (const [table, column] of [
      ['statistics_hourly', 'hour'],
      ['statistics_daily', 'day'],
    ] as const) {
      // A row that exists even if the table is empty.
      const select = `SELECT t.* FROM (SELECT 1 AS one) AS o LEFT JOIN ${table} AS t ON TRUE LIMIT 1`;
      const [row = {}] = await server.raw.query(select);
      expect(Object.keys(row)).toEqual([column, 'property_id', 'counts']);
    }
    // Only numbers: an issued puzzle, an accepted solution, a repeat, a rejection, a solve time, and the level.
    type Row = { property_id: number; counts: Uint8Array };
    const rows = await server.raw.query<Row>('SELECT * FROM statistics_hourly WHERE property_id > 0');
    expect(rows.map((row) => [row.property_id, row.counts.toHex()])).toEqual([
      [tenant.property.id, '0101010101010a010801810101'],
    ]);
  });

  describeSqlite('the files', () => {
    test('contain no addresses, hosts of pages, or solutions', async () => {
      const payload = await presentThrice();
      const secrets = ['203.0.113.77', '127.0.0.1', 'secret-page', 'Visitor/7.7', payload.slice(0, 60)];
      const files = readdirSync(server.dataDir).filter((name) => name.startsWith('postern.sqlite'));
      const contents = files.map((name) => readFileSync(join(server.dataDir, name)));
      const kept = Buffer.concat(contents).toString('latin1');
      expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]);
    });
  });
});
