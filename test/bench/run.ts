/**
 * `bun run bench`: measures how fast the compiled binary issues and verifies, relative to a minimal `Bun.serve` that the same client
 * measures in alternating windows. Asserts no times.
 *
 * Needs wrk (Debian package `wrk`). Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2), BENCH_CLAIMS (1000000).
 */

import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../build.ts';
import { type Load, measure, median, type Pair, report, residentMegabytes, type Target } from './client.ts';
import { prepare, start } from './installation.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const CLAIMS = Number(process.env.BENCH_CLAIMS ?? 1_000_000);

async function startBaseline(): Promise<Target & { readonly stop: () => void }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'baseline.ts')], { stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  const port = new TextDecoder().decode(value).trim();
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() };
}

/** Alternates the windows, after one for warming up. */
function compare(
  baseline: Target,
  server: Target,
  baselineLoad: () => Load,
  serverLoad = baselineLoad,
): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = -1; i < WINDOWS; i++) {
    const pair = { baseline: measure(baseline, baselineLoad()), server: measure(server, serverLoad()) };
    if (i >= 0) pairs.push(pair);
  }
  return pairs;
}

install();
const binary = buildIfStale();
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const { sitekey, secret, newPayload } = await prepare(dataDir);
const payloads = join(dataDir, 'payloads');
const baseline = await startBaseline();
const starts: number[] = [];
for (let i = 0; i < 5; i++) {
  const server = await start(binary, dataDir);
  starts.push(server.startMs);
  await server.kill();
}
console.log(`time from start to the first 200 with an existing folder: ${median(starts).toFixed(0)} ms\n`);

const server = await start(binary, dataDir);
const memory = { before: residentMegabytes(server.pid) };
let rate = 0;

/** Creates enough payloads for one window. */
function freshPayloads(): Load {
  const count = Math.ceil(rate * Number(process.env.BENCH_SECONDS ?? 2));
  writeFileSync(payloads, Array.from({ length: count }, newPayload).join('\n'));
  return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: secret } };
}

function samePayloads(key = secret): Load {
  return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: key } };
}

try {
  const puzzle: Load = { path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua' };
  const gets = compare(baseline, server, () => puzzle);
  report('hello world', 'GET /puzzle', gets);
  rate = Math.max(...gets.map((pair) => pair.baseline.rate));
  report(
    'hello world, POST',
    'POST /verify, durable',
    compare(baseline, server, freshPayloads, samePayloads),
  );
  checkClaims();
  console.log(
    `memory: ${memory.before.toFixed(0)} MB before, ${residentMegabytes(server.pid).toFixed(0)} MB after`,
  );
  await Bun.sleep(5000);
  console.log(`memory five seconds later: ${residentMegabytes(server.pid).toFixed(0)} MB\n`);

  const wrongKey = () => ({ ...samePayloads(`${secret.slice(0, -1)}!`), expectsErrors: true });
  report('hello world, POST', 'a malformed API key', compare(baseline, server, samePayloads, wrongKey));
  const garbage = () => ({
    ...puzzle,
    path: '/verify',
    script: 'garbage.lua',
    env: { KEY: secret },
    expectsErrors: true,
  });
  report('hello world, POST', 'an invalid payload', compare(baseline, server, samePayloads, garbage));
  const otherOrigin = () => ({ ...puzzle, script: 'otherOrigin.lua', expectsErrors: true });
  report(
    'GET /puzzle',
    'a page of another domain',
    compare(server, server, () => puzzle, otherOrigin),
  );

  fillClaims();
  const full = compare(baseline, server, freshPayloads, samePayloads);
  report('hello world, POST', `POST /verify, ${CLAIMS} claims stored`, full);
} finally {
  baseline.stop();
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Checks that all claims are stored. */
function checkClaims(): void {
  const claims = new Database(join(dataDir, 'claims.sqlite'), { readonly: true });
  const count = 'SELECT count(*) AS rows, max(presentations) AS most FROM claims';
  const stored = claims.query<{ rows: number; most: number }, []>(count).get();
  claims.close();
  if (stored === null || stored.rows === 0 || stored.most !== 1)
    throw new Error('a payload was verified twice');
  console.log(`claims stored: ${stored.rows}, each with one verification`);
}

/** Adds random claims that expire within the next two hours. */
function fillClaims(): void {
  const claims = new Database(join(dataDir, 'claims.sqlite'));
  claims.run('PRAGMA busy_timeout = 5000');
  const now = Math.floor(Date.now() / 1000);
  const insert = claims.query('INSERT INTO claims VALUES (?, ?, 1)');
  claims.transaction(() => {
    for (let i = 0; i < CLAIMS; i++) insert.run(now + (i % 7200), crypto.getRandomValues(new Uint8Array(8)));
  })();
  // Otherwise, the server would have to checkpoint this transaction first.
  claims.run('PRAGMA wal_checkpoint(TRUNCATE)');
  claims.close();
}
