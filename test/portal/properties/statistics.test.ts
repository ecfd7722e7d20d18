import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { VERDICT_CODES } from '../../../src/captcha/verdict.ts';
import { render } from '../../../src/jsx/runtime.ts';
import { DAY, HOUR, type Instant, later } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { duration, grouped, percent } from '../../../src/portal/components/values.tsx';
import { LevelAdviceText } from '../../../src/portal/properties/solveCost.tsx';
import { RejectionsCard } from '../../../src/portal/statistics/figures.tsx';
import { api, idsOf } from '../../support/platform.ts';
import { addUser, type BrowserClient, signedIn } from '../../support/portal.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { addYearOfTraffic } from '../../support/traffic.ts';
import { fetchAndSolve, verify } from '../../support/visitor.ts';

/** Compares the pages with statistics with the API's numbers for the same range. */

let server: TestServer;
let tenant: Tenant;
let browser: BrowserClient;
let path: string;

beforeAll(async () => {
  server = await startServer();
  // The middle of a day, so that the hours of recent events stay on their day.
  server.clock.now = Date.UTC(2026, 2, 11, 12, 30) as Instant;
  tenant = await addTenant(server, { name: 'Shop & Sons', level: 100, allowance: 2 });
  await addYearOfTraffic(server, tenant.property.sitekey, tenant.property.level);
  browser = await signedIn(server, tenant.account);
  path = pathOf(tenant);
});
afterAll(() => server.stop());

function pathOf(of: Tenant): string {
  const { org, property } = idsOf(server, of);
  return `/portal/orgs/${org}/properties/${property}`;
}

type Totals = Record<'issued' | 'verified' | 'repeated' | 'failed', number>;
type Data = {
  readonly difficulty: number;
  readonly totals: Totals;
  readonly failures: Readonly<Record<string, number>>;
  readonly solve_time_ms: Readonly<Record<'p50' | 'p75' | 'p90' | 'p95' | 'p99', number>>;
  readonly level_advice: {
    readonly samples: number;
    readonly p95_ms: number;
    readonly higher: { readonly p95_ms: number };
  };
  readonly solvers: { readonly reported: number; readonly used_wasm: number };
  readonly series: readonly (Totals & { readonly from: string })[];
};

async function apiReport(range: string, of = tenant): Promise<Data> {
  const { org, property } = idsOf(server, of);
  const reply = await api(server, of.portalKey).get<Data>(
    `/org/${org}/property/${property}/stats?range=${range}`,
  );
  return reply.data;
}

/** The figures of a page, by label. */
function figuresIn(text: string): Readonly<Record<string, string>> {
  const [, list = ''] = /<dl class="figures"[^>]*>([\s\S]*?)<\/dl>/.exec(text) ?? [];
  const found = [...list.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<(?:span|\/dd)/g)];
  return Object.fromEntries(found.map(([, label, value]) => [label, value]));
}

/** What screen readers say about the changes, by label. */
function changesIn(text: string): Readonly<Record<string, string>> {
  const found = [
    ...text.matchAll(
      /<dt>([^<]*)<\/dt><dd>[^<]*<span class="change">.*?<span class="visually-hidden"> (.*?)<\/span>/g,
    ),
  ];
  return Object.fromEntries(found.map(([, label = '', change = '']) => [label, change]));
}

/** The rows of the table: time, issued, verified, repeated, failed. */
function rowsIn(text: string): readonly (readonly [string, ...number[]])[] {
  const [, body = ''] = /<tbody>([\s\S]*?)<\/tbody>/.exec(text) ?? [];
  return [...body.matchAll(/<tr><td[^>]*><time datetime="(.*?)">.*?<\/td>(.*?)<\/tr>/g)].map(
    ([, at = '', rest = '']) => [
      new Date(at).toISOString(),
      ...[...rest.matchAll(/<td[^>]*>([\d,]+)<\/td>/g)].map(([, count = '']) =>
        Number(count.replaceAll(',', '')),
      ),
    ],
  );
}

describe.each(['24h', '7d', '30d', '1y'])('the dashboard of %s', (range) => {
  test('has the numbers of the API', async () => {
    const shown = await browser.get(`${path}?range=${range}`);
    const { totals, solve_time_ms: times, solvers, difficulty, series, failures } = await apiReport(range);
    expect(shown.status).toBe(200);
    expect(totals.failed).toBeGreaterThan(0);
    const accepted = totals.verified + totals.repeated;
    expect(figuresIn(shown.text)).toEqual({
      Issued: grouped(totals.issued),
      Verified: grouped(totals.verified),
      Solved: percent(totals.verified, totals.issued),
      Repeated: grouped(totals.repeated),
      Failed: grouped(totals.failed),
      'Acceptance rate': percent(accepted, accepted + totals.failed),
      'Median solve time': `${times.p50} ms`,
      Difficulty: `${difficulty}`,
    });
    const rows = series.map((one) => [one.from, one.issued, one.verified, one.repeated, one.failed]);
    expect<unknown>(rowsIn(shown.text)).toEqual(rows);
    for (const name of ['issued', 'verified', 'failed'] as const) {
      const drawn = new RegExp(` data-${name}="([^"]*)"`).exec(shown.text)?.[1];
      expect(drawn?.split(',').map(Number)).toEqual(series.map((one) => one[name]));
    }
    expect(shown.text).toContain(
      `<dt>With WebAssembly</dt><dd>${percent(solvers.used_wasm, solvers.reported)}</dd>`,
    );
    expect(shown.text).toContain(`From ${grouped(solvers.reported)} accepted solutions`);
    for (const share of ['p75', 'p90', 'p95', 'p99'] as const)
      expect(shown.text).toContain(`<dd>${duration(times[share])}</dd>`);
    const rejected = [...shown.text.matchAll(/<strong>([\d,]+)<[\s\S]*?<code>\d+ ([\w-]+)</g)];
    const counted = Object.entries(failures).filter(([, count]) => count > 0);
    expect(rejected.map(([, count, name]) => [name, count])).toEqual(
      counted.toSorted(([, a], [, b]) => b - a).map(([name, count]) => [name, grouped(count)]),
    );
  });

  test('is available as a file with the same numbers', async () => {
    const { series } = await apiReport(range);
    const shown = await browser.get(`${path}/statistics.csv?range=${range}`);
    expect(shown.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(shown.headers.get('content-disposition')).toBe(
      `attachment; filename="postern-example.com-${range}-2026-03-11.csv"`,
    );
    const [head, ...lines] = shown.text.split('\r\n');
    expect(head).toBe('"from","issued","verified","repeated","failed"');
    expect(lines.pop()).toBe('');
    expect(lines).toEqual(
      series.map((one) => [`"${one.from}"`, one.issued, one.verified, one.repeated, one.failed].join(',')),
    );
    // Spreadsheets evaluate no cell as a formula.
    expect(lines.filter((line) => !/^"[\d\-T:.Z]+"(,\d+){4}$/.test(line))).toEqual([]);
  });
});

test('the default range is 24 hours, and its link is marked', async () => {
  const { text } = await browser.get(path);
  expect(rowsIn(text)).toHaveLength(24);
  const marked = [...text.matchAll(/<a href="([^"]*)" aria-current="true">(.*?)<\/a>/g)];
  expect(marked.map(([, href, label]) => [href, label])).toEqual([[`${path}?range=24h`, '24 hours']]);
  expect(text).toContain('<h1><bdi>Shop &amp; Sons</bdi> <span class="view">Dashboard</span></h1>');
});

test.each(['?range=2h', '?range=', '?range=24H', '?range=constructor'])(
  'the invalid range %s is rejected on the page and in the file',
  async (query) => {
    const admin = await signedIn(server, await addUser(server, true));
    const asked = [browser.get(path + query), browser.get(`${path}/statistics.csv${query}`)];
    const system = ['', '.csv'].map((end) => admin.get(`/portal/system/statistics${end}${query}`));
    for (const shown of await Promise.all([...asked, ...system])) {
      expect([shown.status, shown.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
      expect(shown.text).toContain(
        'Choose one of these ranges: 24 hours, 7 days, 30 days, 1 year, or a custom range.',
      );
      expect(shown.text).not.toContain('<td');
    }
  },
);

test('a property without visitors links to its integration, and one with earlier visitors does not', async () => {
  const quiet = await addTenant(server);
  const its = await signedIn(server, quiet.account);
  const before = await its.get(pathOf(quiet));
  expect(before.text).toContain('No browser has requested a puzzle for this property yet;');
  expect(before.text).toContain(`href="${pathOf(quiet)}/integration">Add the widget`);
  expect(before.text).not.toMatch(/<figure/);
  await fetchAndSolve(server.url, quiet.property.sitekey);
  await server.app.flush();
  expect(figuresIn((await its.get(pathOf(quiet))).text).Issued).toBe('1');
  const now = server.clock.now;
  server.clock.now = later(now, 2 * DAY);
  const again = await signedIn(server, quiet.account);
  const after = await again.get(pathOf(quiet));
  const week = await again.get(`${pathOf(quiet)}?range=7d`);
  server.clock.now = now;
  expect(after.text).toContain('This property had no visitors in this range.');
  expect(after.text).not.toContain('Add the widget');
  expect(figuresIn(week.text).Issued).toBe('1');
});

test('a member sees what the owner sees; other users see nothing', async () => {
  const { services } = server.app;
  const member = await addUser(server);
  const stranger = await addUser(server);
  await services.members.add(INSTALLATION, tenant.organization.id, member);
  expect(figuresIn((await (await signedIn(server, member)).get(path)).text)).toEqual(
    figuresIn((await browser.get(path)).text),
  );
  // Also through the path of their own organization.
  const own = await addTenant(server);
  const [ours, theirs] = [idsOf(server, own), idsOf(server, tenant)];
  const crossed = `/portal/orgs/${ours.org}/properties/${theirs.property}`;
  for (const [who, where] of [
    [stranger, path],
    [stranger, `${path}/statistics.csv`],
    [stranger, `${path}/statistics.json`],
    [stranger, `${path}/statistics/live`],
    [own.account, crossed],
    [own.account, `${crossed}/statistics.csv`],
    [own.account, `${crossed}/statistics/live`],
  ] as const) {
    const shown = await (await signedIn(server, who)).get(where);
    expect([shown.status, shown.text.includes('Shop')]).toEqual([404, false]);
  }
});

describe('a custom range', () => {
  const query = '?from=2026-03-05&to=2026-03-07';

  test('has the numbers of the API, as a page and as files', async () => {
    const { org, property } = idsOf(server, tenant);
    const { data } = await api(server, tenant.portalKey).get<Data>(
      `/org/${org}/property/${property}/stats?from=2026-03-05&until=2026-03-08`,
    );
    const { text } = await browser.get(`${path}${query}`);
    expect(data.totals.issued).toBeGreaterThan(0);
    expect(figuresIn(text).Issued).toBe(grouped(data.totals.issued));
    expect(rowsIn(text).map(([at]) => at)).toEqual(data.series.map(({ from }) => from));
    expect(text).toContain('Mar 5 – 7, 2026');
    // It has ended, so nothing can change.
    expect(text).not.toMatch(/data-live|not over yet/);
    const csv = await browser.get(`${path}/statistics.csv${query}`);
    expect(csv.headers.get('content-disposition')).toContain('-2026-03-05-2026-03-07.csv"');
    expect(csv.text.split('\r\n')).toHaveLength(data.series.length + 2);
    const json = await browser.get(`${path}/statistics.json${query}`);
    expect(json.headers.get('content-disposition')).toContain('-2026-03-05-2026-03-07.json"');
    expect(JSON.parse(json.text)).toEqual(data);
  });

  test.each([
    ['?from=2026-03-05&to=2026-03-04', 'to', 'The last day is before the first day.'],
    ['?from=2026-03-05&to=2026-03-12', 'to', 'Statistics end today.'],
    ['?from=2023-03-05&to=2023-03-06', 'from', 'Statistics are stored for two years.'],
    ['?from=2025-03-05&to=2026-03-06', 'from', 'A custom range has at most 366 days.'],
    ['?from=2026-03-05', 'to', 'Enter a day, for example'],
    ['?from=yesterday&to=2026-03-05', 'from', 'Enter a day, for example'],
  ])('%s is rejected at the field %s', async (invalid, field, sentence) => {
    for (const file of ['', '/statistics.csv', '/statistics.json']) {
      const { status, text } = await browser.get(`${path}${file}${invalid}`);
      expect([file, status, text.includes(`<a href="#${field}">${sentence}`)]).toEqual([file, 422, true]);
      expect(text).not.toContain('class="figures"');
    }
    expect((await browser.get(`${path}/statistics/live${invalid}`)).status).toBe(404);
  });
});

test('each number is compared with the same part of the previous period, unless the comparison is hidden', async () => {
  const { series } = await apiReport('30d');
  const { data: before } = await api(server, tenant.portalKey).get<Data>(
    `/org/${idsOf(server, tenant).org}/property/${idsOf(server, tenant).property}/stats?from=2026-01-11&until=2026-02-10`,
  );
  // It is 12:30, so the last day counts by 12.5 of 24 hours.
  const passed = 12.5 / 24;
  const sum = (all: Data['series'], key: keyof Totals) => all.reduce((total, one) => total + one[key], 0);
  const { text } = await browser.get(`${path}?range=30d`);
  expect(before.series).toHaveLength(30);
  const changes = changesIn(text);
  for (const [label, key] of [
    ['Issued', 'issued'],
    ['Verified', 'verified'],
  ] as const) {
    const last = before.series.at(-1)?.[key] ?? 0;
    const [now, then] = [sum(series, key), sum(before.series.slice(0, -1), key) + Math.round(last * passed)];
    const share = Math.abs(now - then) / then;
    const shown = share < 1 ? `${Math.round(share * 1000) / 10}%` : `${grouped(Math.round(share * 100))}%`;
    expect(changes[label]).toBe(
      `${shown} ${now > then ? 'more' : 'less'} than in the previous period (${grouped(then)})`,
    );
  }
  const drawn = / data-previous="([^"]*)"/.exec(text)?.[1]?.split(',').map(Number);
  expect(drawn).toEqual(before.series.map(({ issued }) => issued));
  const hidden = (await browser.get(`${path}?range=30d&compare=off`)).text;
  expect(hidden).not.toMatch(/data-previous|class="change"/);
  expect(figuresIn(hidden)).toEqual(figuresIn(text));
});

describe('the live numbers', () => {
  const live = () => `${path}/statistics/live?range=24h`;

  test('are those of the page, and are sent again only after a change', async () => {
    const first = await browser.get(live());
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag.length > 0]).toEqual([200, true]);
    expect(figuresIn(first.text)).toEqual(figuresIn((await browser.get(path)).text));
    expect(first.text).not.toMatch(/<html|<form/);
    const again = await browser.get(live(), { 'If-None-Match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    await fetchAndSolve(server.url, tenant.property.sitekey);
    await server.app.flush();
    const changed = await browser.get(live(), { 'If-None-Match': tag });
    expect(changed.status).toBe(200);
    expect(figuresIn(changed.text).Issued).not.toBe(figuresIn(first.text).Issued);
  });

  test('do not extend the session, and end with it', async () => {
    const now = server.clock.now;
    const idle = await signedIn(server, tenant.account);
    const idleMs = 12 * HOUR;
    server.clock.now = later(now, idleMs - 60_000);
    const before = await idle.get(live());
    server.clock.now = later(now, idleMs + 1);
    const after = await idle.get(live());
    server.clock.now = now;
    expect([before.status, after.status, after.headers.get('location')]).toEqual([200, 401, null]);
  });
});

test('a raised difficulty is shown with the level', async () => {
  const busy = await addTenant(server, { level: 100, growth: 'fast' });
  const its = await signedIn(server, busy.account);
  await fetch(`${server.url}/puzzle?sitekey=${busy.property.sitekey}`, {
    headers: { Origin: 'https://example.com' },
  });
  await server.app.flush();
  expect((await its.get(pathOf(busy))).text).toContain(
    'Difficulty is 100, the level of this property, because traffic is as usual.',
  );
  for (let i = 0; i < 200; i++) {
    await fetch(`${server.url}/puzzle?sitekey=${busy.property.sitekey}`, {
      headers: { Origin: 'https://example.com' },
    });
  }
  const { text } = await its.get(pathOf(busy));
  const difficulty = Number(figuresIn(text).Difficulty);
  expect(difficulty).toBeGreaterThan(100);
  const work = Math.round(10 * 2 ** ((difficulty - 100) / 8)) / 10;
  expect(text).toContain(
    `Difficulty is ${difficulty}: puzzles cost ${work} times the work of level 100, because`,
  );
});

test('administrators see the requests that belong to no property, as a page and as a file', async () => {
  const admin = await signedIn(server, await addUser(server, true));
  const where = '/portal/system/statistics/without-property';
  const before = await admin.get(where);
  expect(before.text).toContain('Requests without a property');
  expect(before.text).toContain('There were no requests without a property in this range.');
  await verify(server.url, tenant.verifyKey, 'garbage');
  await server.app.flush();
  const { text } = await admin.get(`${where}?range=7d`);
  expect(figuresIn(text)).toMatchObject({ Issued: '0', Failed: '1' });
  expect(text).toContain('<code>4 solution-bad-format</code>');
  const file = await admin.get(`${where}.csv?range=7d`);
  expect(file.headers.get('content-disposition')).toContain('"postern-without-property-7d-2026-03-11.csv"');
  expect(file.text.split('\r\n').at(-2)).toBe('"2026-03-11T12:00:00.000Z",0,0,0,1');
  const json = JSON.parse((await admin.get(`${where}.json?range=7d`)).text);
  expect([json.totals.failed, json.failures['solution-bad-format'], 'difficulty' in json]).toEqual([
    1,
    1,
    false,
  ]);
  expect(figuresIn((await admin.get(`${where}/live?range=7d`)).text).Failed).toBe('1');
});

test('each verdict that can be a rejection has its own title and advice', () => {
  const success = ['no-error', 'maintenance-mode', 'property-test'];
  const refusing = Object.entries(VERDICT_CODES).filter(([name]) => !success.includes(name));
  const failures = new Map(refusing.map(([, code]) => [code as number, 1]));
  const totals = { issued: 0, verified: 0, repeated: 0, failed: failures.size };
  const markup = render(RejectionsCard({ report: { failures, totals } }));
  const titles = [...markup.matchAll(/<h3>(.*?)<\/h3>/g)].map(([, title]) => title);
  expect(new Set(titles).size).toBe(refusing.length);
  expect(titles).not.toContain('Other');
  expect(markup).not.toContain('<p class="help"> ');
});

test.each([
  [percent(0, 0), '–'],
  [percent(0, 7), '0%'],
  [percent(1, 3), '33.3%'],
  [percent(99_999, 100_000), '99.9%'],
  [percent(5, 5), '100%'],
  [percent(1, 5000), 'under 0.1%'],
  [duration(undefined), '–'],
  [duration(0), '0 ms'],
  [duration(999), '999 ms'],
  [duration(1000), '1.0 s'],
  [duration(119_900), '119.9 s'],
  [duration(120_000), '2 min'],
  [grouped(1_234_567), '1,234,567'],
])('a number is shown as %s', (said, expected) => {
  expect(said).toBe(expected);
});

describe('the advice on the level', () => {
  const settings = () => browser.get(`${path}/settings`);

  test('is on the dashboard and next to the level in the settings, with the number of solve times', async () => {
    const { level_advice: advice } = await apiReport('24h');
    expect(advice).toMatchObject({ level: 100, p95_ms: 1792, higher: { level: 108, p95_ms: 3584 } });
    for (const { text } of [await browser.get(path), await settings()]) {
      expect(text).toContain(
        'At level 100, 95% of visitors wait less than 1.8 s. At level 108, it would be at most 3.6 s, so the level fits these visitors.',
      );
      expect(text).toContain(
        `From ${grouped(advice.samples)} solve times of the last 28 days, all with this level and kind of work.`,
      );
    }
  });

  test('needs solve times of the current level', async () => {
    const fresh = await addTenant(server, { level: 3 });
    await present(fresh);
    await server.app.flush();
    const visitor = await signedIn(server, fresh.account);
    const few =
      'Not enough data for advice on the level: 1 of 100 solve times at level 3 in the last 28 days.';
    const dashboard = await visitor.get(pathOf(fresh));
    expect(dashboard.text).toContain(few);
    expect(dashboard.text).toContain('There are fewer than 100 solve times');
    expect((await visitor.get(`${pathOf(fresh)}/settings`)).text).toContain(few);
  });

  test.each([
    [
      { p95: 448, assessment: 'fast', higher: { level: 136, p95: 896 } },
      'wait less than 450 ms. At level 136, it would be at most 900 ms, so you can choose',
    ],
    [
      { p95: 3584, assessment: 'slow', lower: { level: 120, p95: 1917 } },
      'wait less than 3.6 s, which is long. At level 120, it would be about 2.0 s.',
    ],
    [{ p95: 640, assessment: 'fits' }, 'At level 128, 95% of visitors wait less than 640 ms.</p>'],
    [{ p95: 5120, assessment: 'slow' }, 'wait less than 5.2 s, which is long.</p>'],
    [{ p95: 1, assessment: 'fits' }, 'wait less than 1 ms.</p>'],
  ] as const)('%j is a sentence', (result, sentence) => {
    const advice = { level: 128, samples: 1200, result: { higher: undefined, lower: undefined, ...result } };
    expect(render(LevelAdviceText({ advice }))).toContain(sentence);
  });
});

async function present(of: Tenant): Promise<void> {
  await verify(server.url, of.verifyKey, await fetchAndSolve(server.url, of.property.sitekey));
}
