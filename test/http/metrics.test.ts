import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSTALLATION } from '../../src/model/actor.ts';
import { api, idsOf } from '../support/platform.ts';
import { addTenant, startServer, type TestServer } from '../support/server.ts';
import { describeSqlite, ENGINE } from '../support/testStorage.ts';
import { useServer, useTenant } from '../support/useServer.ts';
import { fetchAndSolve, fetchPuzzle, solve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { expectCommonHeaders, runScenarios, send, sendRaw } from './scenario.ts';

const TOKEN = '0123456789abcdef-._~+/=';
const FAR_AWAY = '203.0.113.7';

type Family = { readonly type: string; readonly help: string; readonly labels: ReadonlySet<string> };

/** Reads the metrics from this machine. */
async function scrape({ url }: TestServer): Promise<string> {
  const response = await fetch(`${url}/metrics`);
  expect(response.status).toBe(200);
  return response.text();
}

/** @returns the value of a series; undefined if it does not exist */
function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

function familiesIn(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { type: string; help: string; labels: Set<string> }>();
  for (const line of text.split('\n')) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') families.set(name, { type: '', help: rest, labels: new Set() });
    const family = families.get(name);
    if (keyword === 'TYPE' && family !== undefined) family.type = rest;
    const [, series = '', labels = ''] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    const owner = families.get(series) ?? families.get(series.replace(/_(?:bucket|sum|count)$/, ''));
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) if (label !== 'le') owner?.labels.add(label);
  }
  return families;
}

/** Runs a program with the text as its input. @returns its output and exit code */
async function pipe(command: readonly string[], text: string) {
  const child = Bun.spawn([...command], { stdin: Buffer.from(text), stdout: 'pipe', stderr: 'pipe' });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { output: out + err, exitCode: await child.exited };
}

describe('GET /metrics without a token', () => {
  const server = useServer({ settings: { POSTERN_CLIENT_IP_HEADER: 'X-Client-Address' } });

  test('returns the metrics to this machine', async () => {
    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expectCommonHeaders(response);
    expect(await response.text()).toContain('\npostern_build_info{version="');
  });

  const rejected = { status: 403, has: [/set POSTERN_METRICS_TOKEN/], hasNot: [/postern_/] } as const;
  const forwarding = [
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Real-IP',
    'Forwarded',
    'Via',
    'X-Client-Address',
  ];
  runScenarios(server, [
    ...forwarding.flatMap((name) =>
      ['127.0.0.1', ''].map((value) => ({
        title: `rejects a request that a proxy forwarded: ${name}: "${value}"`,
        ask: { path: '/metrics', headers: { [name]: value } },
        ...rejected,
        headers: {
          'Content-Type': /text\/plain/,
          'Cache-Control': 'no-store',
          'WWW-Authenticate': undefined,
        },
      })),
    ),
    {
      title: 'ignores a token',
      ask: { path: '/metrics', headers: { Authorization: `Bearer ${TOKEN}`, Via: '1.1 proxy' } },
      ...rejected,
    },
    {
      title: 'has no CORS headers',
      ask: { path: '/metrics', headers: { Origin: 'https://example.com' } },
      status: 200,
      headers: { 'Access-Control-Allow-Origin': undefined },
    },
    { title: 'has no preflight', ask: { path: '/metrics', method: 'OPTIONS' }, status: 405 },
    {
      title: 'rejects POST',
      ask: { path: '/metrics', method: 'POST' },
      status: 405,
      headers: { Allow: 'GET, HEAD' },
    },
  ]);

  test('responds to HEAD without a body', async () => {
    const response = await send(server.url, { path: '/metrics', method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  test('rejects a host name that is not a loopback name', async () => {
    const ask = (host: string) => `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    for (const host of ['captcha.example.com', '127.0.0.1.example.com', '192.0.2.1'])
      expect(await sendRaw(server, ask(host))).toStartWith('HTTP/1.1 403 ');
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]'])
      expect(await sendRaw(server, ask(host))).toStartWith('HTTP/1.1 200 ');
  });

  test('rejects connections from other machines, even if a trusted proxy forwards a loopback address', async () => {
    const settings = { POSTERN_TRUSTED_PROXIES: '203.0.113.0/24' };
    const other = await startServer({ settings });
    try {
      for (const [peer, status] of [
        ['127.0.0.1', 200],
        ['::1', 200],
        ['::ffff:127.9.9.9', 200],
        [FAR_AWAY, 403],
        ['::ffff:203.0.113.7', 403],
        ['::2', 403],
        ['not an address', 403],
        [undefined, 403],
      ] as const) {
        other.app.setPeer(() => peer);
        expect([peer, (await fetch(`${other.url}/metrics`)).status]).toEqual([peer, status]);
      }
      other.app.setPeer(() => FAR_AWAY);
      const headers = { 'X-Forwarded-For': '127.0.0.1' };
      expect((await fetch(`${other.url}/metrics`, { headers })).status).toBe(403);
    } finally {
      await other.stop();
    }
  });
});

describe('GET /metrics with a token', () => {
  const server = useServer({ settings: { POSTERN_METRICS_TOKEN: TOKEN } });

  const wrong = [
    '',
    TOKEN,
    `Basic ${TOKEN}`,
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
  ];
  runScenarios(server, [
    ...wrong.map((Authorization) => ({
      title: `rejects a request without the token: "${Authorization}"`,
      ask: { path: '/metrics', headers: { Authorization } },
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer realm="metrics"', 'Cache-Control': 'no-store' },
      hasNot: [/postern_/, TOKEN],
    })),
    {
      title: 'rejects a token in the query',
      ask: { path: `/metrics?token=${encodeURIComponent(TOKEN)}` },
      status: 401,
    },
    {
      title: 'accepts the token; the scheme is not case-sensitive',
      ask: { path: '/metrics', headers: { Authorization: `bearer ${TOKEN}` } },
      status: 200,
      has: ['postern_build_info'],
    },
  ]);

  test('accepts the token from other machines and through proxies', async () => {
    server.app.setPeer(() => FAR_AWAY);
    const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Forwarded-For': FAR_AWAY };
    expect((await fetch(`${server.url}/metrics`, { headers })).status).toBe(200);
  });
});

/** Scrapes after the ledger thread has reported a number of claims since `before`, which takes up to 100 ms. */
async function scrapeClaims(server: Parameters<typeof scrape>[0], before: string, claims: number) {
  const claimsIn = (text: string) => valueIn(text, 'postern_claim_batch_size_sum') ?? 0;
  const isReported = async () => claimsIn(await scrape(server)) >= claimsIn(before) + claims;
  await waitUntil('the ledger thread has reported the claims', isReported);
  // A report can arrive between two metrics of a scrape.
  return scrape(server);
}

describe('the metrics', () => {
  const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
  const tenant = useTenant(server);

  test('count requests by route and status, and measure their duration', async () => {
    const before = await scrape(server);
    const { portalKey, property } = tenant;
    await fetchPuzzle(server.url, property.sitekey);
    const { org } = idsOf(server, tenant);
    const properties = { path: `/org/${org}/properties`, headers: { 'X-API-Key': portalKey } };
    expect((await send(server.url, properties)).status).toBe(200);
    expect((await send(server.url, { path: '/org/none/properties/' })).status).toBe(401);
    await send(server.url, { path: '/verify/', method: 'POST' });
    await send(server.url, { path: '/livez', method: 'HEAD' });
    for (const path of ['/no/such/path', '/%00', '/verify']) await send(server.url, { path });
    const after = await scrape(server);
    const grown = (series: string) => (valueIn(after, series) ?? 0) - (valueIn(before, series) ?? 0);
    const requests = (method: string, route: string, status: number) =>
      grown(`postern_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
    expect(requests('GET', '/puzzle', 200)).toBe(1);
    expect(requests('GET', '/org/:org_id/properties', 200)).toBe(1);
    expect(requests('GET', '/org/:org_id/properties', 401)).toBe(1);
    expect(requests('POST', '/verify', 401)).toBe(1);
    expect(requests('HEAD', '/livez', 200)).toBe(1);
    expect(requests('other', 'unmatched', 404)).toBe(2);
    expect(requests('other', 'unmatched', 405)).toBe(1);
    expect(requests('GET', '/metrics', 200)).toBe(1);
    const duration = 'postern_http_request_duration_seconds';
    expect(grown(`${duration}_count{method="GET",route="/puzzle"}`)).toBe(1);
    expect(grown(`${duration}_bucket{method="GET",route="/puzzle",le="+Inf"}`)).toBe(1);
    expect(grown(`${duration}_sum{method="GET",route="/puzzle"}`)).toBeGreaterThan(0);
  });

  test('count puzzles, verdicts, and claims', async () => {
    const before = await scrape(server);
    const { property, verifyKey } = tenant;
    const payload = await fetchAndSolve(server.url, property.sitekey);
    expect(await verify(server.url, verifyKey, payload)).toMatchObject({ success: true, code: 0 });
    expect(await verify(server.url, verifyKey, payload)).toMatchObject({ success: false, code: 8 });
    expect(await verify(server.url, verifyKey, 'x')).toMatchObject({ success: false, code: 4 });
    const after = await scrapeClaims(server, before, 1);
    const grown = (series: string) => (valueIn(after, series) ?? 0) - (valueIn(before, series) ?? 0);
    expect(grown('postern_puzzles_issued_total')).toBe(1);
    expect(grown('postern_puzzles_solved_total')).toBe(1);
    expect(grown('postern_verifications_total{code="0",success="true"}')).toBe(1);
    expect(grown('postern_verifications_total{code="8",success="false"}')).toBe(1);
    expect(grown('postern_verifications_total{code="4",success="false"}')).toBe(1);
    expect(grown('postern_claim_commit_seconds_count')).toBe(1);
    expect(grown('postern_claim_commit_seconds_sum')).toBeGreaterThan(0);
    expect(grown('postern_claim_batch_size_sum')).toBe(1);
    expect(grown('postern_cache_hits_total{cache="replay_guard"}')).toBe(1);
    expect(grown('postern_cache_misses_total{cache="replay_guard"}')).toBe(1);
    expect(grown('postern_cache_hits_total{cache="properties"}')).toBeGreaterThanOrEqual(1);
    expect(valueIn(after, 'postern_cache_entries{cache="api_keys"}')).toBeGreaterThanOrEqual(1);
    expect(valueIn(after, 'postern_statistics_pending_events')).toBeGreaterThanOrEqual(3);
  });

  test('count several claims that share a transaction', async () => {
    const payloads = await Promise.all(
      Array.from({ length: 8 }, () => fetchAndSolve(server.url, tenant.property.sitekey)),
    );
    const before = await scrape(server);
    const verdicts = await Promise.all(
      payloads.map((payload) => verify(server.url, tenant.verifyKey, payload)),
    );
    expect(verdicts.map(({ code }) => code)).toEqual(payloads.map(() => 0));
    const after = await scrapeClaims(server, before, 8);
    const grown = (series: string) => (valueIn(after, series) ?? 0) - (valueIn(before, series) ?? 0);
    expect(grown('postern_claim_batch_size_sum')).toBe(8);
    expect(grown('postern_claim_batch_size_count')).toBe(grown('postern_claim_commit_seconds_count'));
  });

  test('count rejected API keys', async () => {
    const before = await scrape(server);
    const payload = solve(await fetchPuzzle(server.url, tenant.property.sitekey));
    expect((await verify(server.url, 'wrong', payload)).status).toBe(401);
    const after = await scrape(server);
    const series = 'postern_security_events_total{event="api-key-rejected"}';
    expect(valueIn(after, series)).toBe((valueIn(before, series) ?? 0) + 1);
  });

  test('count tasks and their items, and show sessions, sizes, and maintenance mode', async () => {
    const { services } = server.app;
    const { org } = idsOf(server, tenant);
    const items = ['First', 'blog'].map((name) => ({ name, domain: 'example.com' }));
    await api(server, tenant.portalKey).run('POST', `/org/${org}/properties`, items);
    await services.maintenance.set(INSTALLATION, true);
    const text = await scrape(server);
    await services.maintenance.set(INSTALLATION, false);
    expect(valueIn(text, 'postern_tasks_finished_total')).toBe(1);
    expect(valueIn(text, 'postern_task_items_total{result="succeeded"}')).toBe(1);
    expect(valueIn(text, 'postern_task_items_total{result="rejected"}')).toBe(1);
    expect(valueIn(text, 'postern_task_duration_seconds_count')).toBe(1);
    expect(valueIn(text, 'postern_tasks_unfinished')).toBe(0);
    expect(valueIn(text, 'postern_tasks_oldest_age_seconds')).toBe(0);
    expect(valueIn(text, 'postern_maintenance_mode')).toBe(1);
    expect(valueIn(text, 'postern_sessions')).toBe(0);
    expect(valueIn(text, 'postern_database_size_bytes{database="main"}')).toBeGreaterThanOrEqual(4096);
    expect(valueIn(text, 'postern_database_up{database="main"}')).toBe(1);
    expect(valueIn(text, 'postern_database_up{database="claims"}')).toBe(1);
    expect(valueIn(text, 'process_open_fds')).toBeGreaterThan(3);
    expect(valueIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(valueIn(text, 'process_start_time_seconds')).toBeLessThanOrEqual(Date.now() / 1000);
    expect(valueIn(text, 'postern_job_runs_total{job_name="purge-claims"}')).toBeGreaterThanOrEqual(0);
  });

  test('show the delays of the thread, the calls of the stores, and the connections for claims', async () => {
    const text = await scrape(server);
    expect(valueIn(text, 'postern_event_loop_lag_seconds_count{thread="management"}')).toBeDefined();
    for (const kind of ['read', 'write']) {
      expect(valueIn(text, `postern_store_call_duration_seconds_count{kind="${kind}"}`)).toBeGreaterThan(0);
      expect(valueIn(text, `postern_store_calls_running{kind="${kind}"}`)).toBeGreaterThanOrEqual(0);
    }
    const [waiting, busy, available] = ENGINE === 'sqlite' ? [] : [0, 0, 4];
    expect(valueIn(text, 'postern_claims_waiting')).toBe(waiting);
    expect(valueIn(text, 'postern_claim_connections_busy')).toBe(busy);
    expect(valueIn(text, 'postern_claim_connections_available')).toBe(available);
  });

  // The alert PosternBackupMissing used to fire forever with PostgreSQL, where no command creates a backup.
  test('contain the time of the newest backup only if Postern creates the backups', async () => {
    const expected = ENGINE === 'sqlite' ? 0 : undefined;
    expect(valueIn(await scrape(server), 'postern_last_backup_timestamp_seconds')).toBe(expected as number);
  });

  describeSqlite('of the data folder', () => {
    test('show the free space', async () => {
      expect(valueIn(await scrape(server), 'postern_disk_free_bytes')).toBeGreaterThan(0);
    });
  });

  test('contain no property, sitekey, API key, user, domain, or address', async () => {
    const { property, account, organization, verifyKey, portalKey } = tenant;
    const text = await scrape(server);
    const secrets = [property.sitekey, account.email, organization.name, verifyKey, portalKey, '127.0.0.1'];
    for (const secret of [...secrets, 'example.com', 'Blog']) expect(text).not.toContain(secret);
  });

  test('pass `promtool check metrics`', async () => {
    const { output, exitCode } = await pipe(['promtool', 'check', 'metrics'], await scrape(server));
    expect([output, exitCode]).toEqual(['', 0]);
  });

  test('are listed in docs/reference/metrics.md with type, labels, and meaning', async () => {
    const page = readFileSync(join(import.meta.dir, '../../docs/reference/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `((?:postern|process)_\w+)` \| (\w+) \| ?(.*?) ?\| (.*) \|$/gm)];
    const documented = rows.map(([, name = '', type = '', labels = '', help = '']) => ({
      name,
      type,
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).sort(),
      help,
    }));
    const text = await scrape(server);
    const served = [...familiesIn(text)].map(([name, { type, help, labels }]) => ({
      name,
      type,
      labels: [...labels].sort(),
      help,
    }));
    // This job has not run yet, so its labels are not served.
    const known = documented.filter(({ name }) => !/^postern_job_last_/.test(name));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect(served.filter(({ name }) => !/^postern_job_last_/.test(name)).sort(byName)).toEqual(
      known.sort(byName),
    );
    expect(served.map(({ name }) => name).sort()).toEqual(documented.map(({ name }) => name).sort());
  });

  test('do not grow with requests for invented paths, methods, and sitekeys', async () => {
    const count = async () => (await scrape(server)).split('\n').length;
    await send(server.url, { path: '/unknown' });
    await send(server.url, { path: '/puzzle?sitekey=x' });
    const before = await count();
    for (let i = 0; i < 50; i++) {
      await send(server.url, { path: `/invented/${i}` });
      await send(server.url, { path: `/puzzle?sitekey=${i}` });
      await send(server.url, { path: `/invented/${i}`, method: ['PUT', 'PATCH', 'DELETE'][i % 3] ?? 'GET' });
    }
    expect(await count()).toBe(before);
  });
});

// The readings of all threads used to be added, which hid a single blocked thread.
test('the delays of each request thread are a series of their own', async () => {
  const server = await startServer({ settings: { POSTERN_THREADS: '2' } });
  try {
    const lag = (text: string, thread: string) =>
      valueIn(text, `postern_event_loop_lag_seconds_count{thread="${thread}"}`) ?? 0;
    await waitUntil('all threads have measured', async () => {
      const text = await scrape(server);
      return ['management', '1', '2'].every((thread) => lag(text, thread) > 0);
    });
    expect(await scrape(server)).not.toContain('thread="3"');
  } finally {
    await server.stop();
  }
});

describe('failures', () => {
  test('of a rate limit are counted by the limit', async () => {
    const settings = { POSTERN_PUZZLE_RATE: '0.001', POSTERN_PUZZLE_BURST: '1' };
    const server = await startServer({ settings });
    try {
      const { property } = await addTenant(server);
      await fetchPuzzle(server.url, property.sitekey);
      const again = await fetchPuzzle(server.url, property.sitekey).catch(String);
      expect(again).toContain('429');
      expect(valueIn(await scrape(server), 'postern_rate_limit_rejections_total{limit="puzzle"}')).toBe(1);
    } finally {
      await server.stop();
    }
  });

  // A scrape must show the failure of the database, not fail itself.
  test('of the main database are counted, and only its own metrics are missing', async () => {
    const server = await startServer();
    try {
      await server.raw.query('ALTER TABLE sessions RENAME TO sessions_moved');
      await scrape(server);
      const text = await scrape(server);
      expect(valueIn(text, 'postern_sessions')).toBeUndefined();
      expect(valueIn(text, 'postern_tasks_unfinished')).toBe(0);
      expect(valueIn(text, 'postern_puzzles_issued_total')).toBe(0);
      await server.raw.query('ALTER TABLE sessions_moved RENAME TO sessions');
    } finally {
      await server.stop();
    }
  });
});
