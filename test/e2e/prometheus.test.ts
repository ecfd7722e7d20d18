import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CERTIFICATE, PRIVATE_KEY } from '../cli/certificates.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import {
  METRICS_TOKEN,
  PROMETHEUS_FILES,
  RULES,
  startPrometheus,
  writeConfiguration,
} from '../support/prometheus.ts';
import { solve } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, testInFolder } from './support.ts';

/** Checks the files in `deploy/` with Prometheus and promtool from the Debian package `prometheus`. */

const DEPLOY = join(import.meta.dir, '../../deploy');
/** The certificate of the tests is self-signed. */
const tls = { rejectUnauthorized: false };

type Target = { readonly expr: string; readonly datasource: { readonly uid: string } };
type Panel = { readonly title: string; readonly type: string; readonly targets?: readonly Target[] };
type Dashboard = { readonly title: string; readonly panels: readonly Panel[] };

const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/dashboard.json'), 'utf8')) as Dashboard;
const alerts = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

/** @returns the output and the exit code */
async function promtool(...args: readonly string[]) {
  const child = Bun.spawn(['promtool', ...args], {
    cwd: PROMETHEUS_FILES,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, output: output.join('') };
}

describe('the alert rules', () => {
  test('pass `promtool check rules` and their unit tests', async () => {
    expect(await promtool('check', 'rules', 'postern.rules.yml')).toMatchObject({ exitCode: 0 });
    const tested = await promtool('test', 'rules', 'postern.rules.test.yml');
    expect([tested.exitCode, tested.output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  test('have a unit test for each alert, and a row in docs/how-to/monitor.md', () => {
    const tests = readFileSync(join(PROMETHEUS_FILES, 'postern.rules.test.yml'), 'utf8');
    const tested = [...tests.matchAll(/- name: (Postern\w+)/g)].map(([, name = '']) => name);
    const page = readFileSync(join(DEPLOY, '../docs/how-to/monitor.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(Postern\w+)` \| (\w+) \|/gm)].map(([, name, severity]) => [
      name,
      severity,
    ]);
    const severities = [...RULES.matchAll(/^ {10}severity: (\w+)$/gm)].map(([, severity]) => severity);
    expect(tested).toEqual(alerts);
    expect(documented).toEqual(alerts.map((alert, at) => [alert, severities[at]]));
  });

  test('have a summary, a description, and a runbook each', () => {
    for (const annotation of ['summary', 'description', 'runbook'])
      expect(RULES.match(new RegExp(`^ {10}${annotation}: `, 'gm'))).toHaveLength(alerts.length);
  });
});

/** A puzzle, an accepted verification, and a rejected one. */
async function sendTraffic({ url }: RunningBinary, { sitekey, verifyKey }: PropertyAndKey): Promise<void> {
  const headers = { Origin: 'https://example.com', 'X-API-Key': verifyKey };
  const puzzle = await fetch(`${url}/puzzle?sitekey=${sitekey}`, { headers, tls });
  const body = solve(await puzzle.text());
  for (const code of [0, 8]) {
    const response = await fetch(`${url}/verify`, { method: 'POST', headers, body, tls });
    expect(await response.json()).toMatchObject({ code });
  }
}

/** The expressions of the dashboard, with values for its variables, and those of the alert rules. */
function expressions(): readonly string[] {
  const panels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const alertExpressions = [...RULES.matchAll(/expr: \|-\n((?: {10}.*\n)+)/g)].map(([, expr = '']) => expr);
  expect(alertExpressions).toHaveLength(alerts.length);
  expect(panels.length).toBeGreaterThan(40);
  return [...panels, ...alertExpressions].map((expr) =>
    expr.replaceAll('$instance', '.+').replaceAll('$__rate_interval', '1m'),
  );
}

/** A healthy server has none of these series. */
const OF_FAILURES = 'status=~"5.."';
/** A server with SQLite has none of these metrics. */
const OF_POSTGRES =
  /^postern_(?:clock_offset_(?:error_)?seconds|database_primaries|claims_waiting|claim_connections_\w+)\b/;

/** Every selector in the expressions, such as `postern_sessions{job="postern"}`. */
function selectors(): readonly string[] {
  const found = expressions().flatMap(
    (expr) => expr.match(/\b(?:postern_\w+|process_\w+|up)\{[^}]*\}/g) ?? [],
  );
  return [...new Set(found)].filter(
    (selector) => !selector.includes(OF_FAILURES) && !OF_POSTGRES.test(selector),
  );
}

test('the panels of the dashboard use the data source that the user selects', () => {
  const targets = dashboard.panels.flatMap(({ targets: all = [] }) => all);
  for (const { datasource } of targets) expect(datasource.uid).toMatch(/^\$\{datasource\}$/);
});

testInFolder('Prometheus finds every metric of the dashboard and the alert rules', async (folder) => {
  const dataDir = join(folder, 'data');
  const files = { POSTERN_TLS_CERT: join(folder, 'cert.pem'), POSTERN_TLS_KEY: join(folder, 'key.pem') };
  writeFileSync(files.POSTERN_TLS_CERT, CERTIFICATE);
  writeFileSync(files.POSTERN_TLS_KEY, PRIVATE_KEY);
  const property = await addProperty(dataDir);
  const settings = {
    ...HIGH_LIMITS,
    ...files,
    POSTERN_DATA_DIR: dataDir,
    POSTERN_METRICS_TOKEN: METRICS_TOKEN,
  };
  const server = await startBinary(BINARY, settings);
  expect((await fetch(`${server.url}/metrics`, { tls })).status).toBe(401);
  await sendTraffic(server, property);
  const configuration = writeConfiguration(folder, {
    'scrape_interval: 15s': 'scrape_interval: 1s',
    'evaluation_interval: 15s': 'evaluation_interval: 1s',
    'captcha.example.com:443': new URL(server.url).host,
    'scheme: https': 'scheme: https\n    tls_config:\n      insecure_skip_verify: true',
  });
  const prometheus = await startPrometheus(folder, configuration);
  try {
    await waitUntil('a successful scrape', () => prometheus.hasSeries('up{job="postern"} == 1'));
    // Jobs run at fixed seconds of each minute.
    const lastSuccess = 'postern_job_last_success_timestamp_seconds';
    await waitUntil('a run of a background job', () => prometheus.hasSeries(lastSuccess));
    const missing: string[] = [];
    expect(selectors().length).toBeGreaterThan(40);
    for (const selector of selectors()) if (!(await prometheus.hasSeries(selector))) missing.push(selector);
    expect(missing).toEqual([]);
    for (const expr of expressions()) {
      const { status, error } = await prometheus.query(expr);
      expect([expr, status, error]).toEqual([expr, 'success', undefined]);
    }
    await waitUntil('an evaluation of every rule', async () =>
      (await prometheus.ruleHealth()).every((health) => health !== 'unknown'),
    );
    expect(await prometheus.ruleHealth()).toEqual(alerts.map(() => 'ok'));
  } finally {
    await prometheus.stop();
  }
});
