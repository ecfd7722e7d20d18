/**
 * `bun run bench`: how fast the compiled binary issues and verifies, as a ratio to a bare `Bun.serve` that is measured
 * in the same run by the same client, window by window in turn. Nothing here asserts a time.
 *
 * Needs wrk (Debian package `wrk`). Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2), BENCH_KEPT (1000000).
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../build.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { openTestServices } from '../support/services.ts';
import { type Load, measure, median, type Pair, report, residentMegabytes, type Target } from './client.ts';
import { createPayloadGenerator } from './payloads.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const KEPT = Number(process.env.BENCH_KEPT ?? 1_000_000);

/** A folder with a property and a key. */
async function prepare(dataDir: string) {
  const services = await openTestServices(dataDir);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectDone(await services.accounts.create(user));
  const organization = expectDone(await services.organizations.create(account, 'Bench'));
  const site = {
    organizationId: organization.id,
    name: 'Bench',
    domain: 'example.com',
    validitySeconds: 7200,
  };
  const property = expectDone(await services.properties.create({ ...DEFAULT_SETTINGS, ...site }));
  const key = { account, name: 'Bench', scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
  const { secret } = expectDone(await services.apiKeys.create({ ...key, organizationId: undefined }));
  await services.close();
  // Level 1, so that minting half a million solutions takes seconds; the verifier's work is the same at every level.
  const mint = await createPayloadGenerator(dataDir, { ...property, level: 1, growth: 'constant' });
  return { sitekey: property.sitekey, secret, mint };
}

/** Rates that do not bind; everything else as shipped. */
function start(binary: string, dataDir: string): Promise<RunningBinary> {
  return startBinary(binary, {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_PUZZLE_RATE: '10000000',
    POSTERN_PUZZLE_BURST: '100000000',
    POSTERN_VERIFY_RATE: '10000000',
    POSTERN_VERIFY_BURST: '100000000',
  });
}

async function startYardstick(): Promise<Target & { readonly stop: () => void }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'yardstick.ts')], { stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  const port = new TextDecoder().decode(value).trim();
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => child.kill() };
}

/** The windows in turn, after one to warm up. */
function compare(yardstick: Target, server: Target, theirs: () => Load, ours = theirs): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = -1; i < WINDOWS; i++) {
    const pair = { theirs: measure(yardstick, theirs()), ours: measure(server, ours()) };
    if (i >= 0) pairs.push(pair);
  }
  return pairs;
}

install();
const binary = buildIfStale();
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const { sitekey, secret, mint } = await prepare(dataDir);
const payloads = join(dataDir, 'payloads');
const yardstick = await startYardstick();
const starts: number[] = [];
for (let i = 0; i < 5; i++) {
  const server = await start(binary, dataDir);
  starts.push(server.startMs);
  await server.kill();
}
console.log(`start on an existing folder to the first 200: ${median(starts).toFixed(0)} ms\n`);

const server = await start(binary, dataDir);
const memory = { before: residentMegabytes(server.pid) };
let rate = 0;

/** So many payloads that no window runs out of them. */
function freshPayloads(): Load {
  const enough = Math.ceil(rate * Number(process.env.BENCH_SECONDS ?? 2));
  writeFileSync(payloads, Array.from({ length: enough }, mint).join('\n'));
  return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: secret } };
}

function samePayloads(key = secret): Load {
  return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: key } };
}

try {
  const puzzle: Load = { path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua' };
  const gets = compare(yardstick, server, () => puzzle);
  report('hello world', 'GET /puzzle', gets);
  rate = Math.max(...gets.map(({ theirs }) => theirs.rate));
  report(
    'hello world, POST',
    'POST /verify, durable',
    compare(yardstick, server, freshPayloads, samePayloads),
  );
  checkClaims();
  console.log(
    `memory: ${memory.before.toFixed(0)} MB before, ${residentMegabytes(server.pid).toFixed(0)} MB after`,
  );
  await Bun.sleep(5000);
  console.log(`memory five seconds later: ${residentMegabytes(server.pid).toFixed(0)} MB\n`);

  const wrongKey = () => ({ ...samePayloads(`${secret.slice(0, -1)}!`), isRefused: true });
  report('hello world, POST', 'a malformed API key', compare(yardstick, server, samePayloads, wrongKey));
  const garbage = () => ({
    ...puzzle,
    path: '/verify',
    script: 'garbage.lua',
    env: { KEY: secret },
    isRefused: true,
  });
  report('hello world, POST', 'a payload that is none', compare(yardstick, server, samePayloads, garbage));
  const foreign = () => ({ ...puzzle, script: 'foreign.lua', isRefused: true });
  report(
    'GET /puzzle',
    'a page of another domain',
    compare(server, server, () => puzzle, foreign),
  );

  fillClaims();
  const full = compare(yardstick, server, freshPayloads, samePayloads);
  report('hello world, POST', `POST /verify, ${KEPT} claims kept`, full);
} finally {
  yardstick.stop();
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
}

/** Whatever was answered must be there. */
function checkClaims(): void {
  const claims = new Database(join(dataDir, 'claims.sqlite'), { readonly: true });
  const count = 'SELECT count(*) AS rows, max(presentations) AS most FROM claims';
  const kept = claims.query<{ rows: number; most: number }, []>(count).get();
  claims.close();
  if (kept === null || kept.rows === 0 || kept.most !== 1) throw new Error('a payload was presented twice');
  console.log(`claims kept: ${kept.rows}, each presented once`);
}

/** Claims as an hour of traffic would leave them: of the coming two hours, in no order. */
function fillClaims(): void {
  const claims = new Database(join(dataDir, 'claims.sqlite'));
  claims.run('PRAGMA busy_timeout = 5000');
  const now = Math.floor(Date.now() / 1000);
  const insert = claims.query('INSERT INTO claims VALUES (?, ?, 1)');
  claims.transaction(() => {
    for (let i = 0; i < KEPT; i++) insert.run(now + (i % 7200), crypto.getRandomValues(new Uint8Array(8)));
  })();
  // Else the server would first have to write back what this one transaction left.
  claims.run('PRAGMA wal_checkpoint(TRUNCATE)');
  claims.close();
}

function expectDone<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
