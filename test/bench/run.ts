/**
 * `bun run bench`: how fast the compiled binary issues and verifies, as a ratio to a bare `Bun.serve` that is measured
 * in the same run by the same client, window by window in turn. Nothing here asserts a time.
 *
 * Needs wrk (Debian package `wrk`). Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2).
 */
import { Database } from 'bun:sqlite';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../build.ts';
import { DEFAULT_SETTINGS } from '../../src/model/property.ts';
import { openOffice } from '../../src/office.ts';
import { startBinary } from '../support/binary.ts';
import { createMint } from './mint.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const CONNECTIONS = 32;
const HERE = import.meta.dir;

type Figure = {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly requests: number;
  /** Processor time of the server, all threads, in microseconds a request: steadier than the rate on a busy machine. */
  readonly cpu: number;
};

type Target = { readonly url: string; readonly pid: number };

function wrk(target: Target, path: string, script: string, env: Record<string, string> = {}): Figure {
  const before = cpuMicroseconds(target.pid);
  const args = [
    '--latency',
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${SECONDS}s`,
    '-s',
    join(HERE, script),
    target.url + path,
  ];
  const { stdout, exitCode } = Bun.spawnSync(['wrk', ...args], { env: { ...process.env, ...env } });
  const text = stdout.toString();
  if (exitCode !== 0) throw new Error(`wrk failed: ${text}`);
  if (/Non-2xx|Socket errors/.test(text))
    throw new Error(`not every request was answered with 200:\n${text}`);
  const found = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  const requests = Number(found(/(\d+) requests in/));
  return {
    rate: Number(found(/Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(found(/50%\s+(\S+)/)),
    p99: milliseconds(found(/99%\s+(\S+)/)),
    requests,
    cpu: (cpuMicroseconds(target.pid) - before) / requests,
  };
}

/** User and system time so far; the kernel counts in hundredths of a second (proc(5)). */
function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function milliseconds(text: string): number {
  const value = Number.parseFloat(text);
  if (text.endsWith('us')) return value / 1000;
  return text.endsWith('ms') ? value : value * 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

/** Medians of the windows, and the median of their ratios. */
function report(name: string, yard: readonly Figure[], ours: readonly Figure[]): void {
  const of = (figures: readonly Figure[], key: keyof Figure) => median(figures.map((figure) => figure[key]));
  const ratios = ours.map((figure, i) => figure.rate / (yard[i] as Figure).rate);
  const line = (label: string, figures: readonly Figure[]) =>
    console.log(
      `${label.padEnd(26)} ${of(figures, 'rate').toFixed(0).padStart(8)} requests/s   p50 ${of(figures, 'p50').toFixed(2)} ms   p99 ${of(figures, 'p99').toFixed(2)} ms   cpu ${of(figures, 'cpu').toFixed(1)} µs a request`,
    );
  line(`yardstick for ${name}`, yard);
  line(name, ours);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  console.log(`${''.padEnd(26)} ratio ${median(ratios).toFixed(2)} (windows ${low} to ${high})\n`);
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

install();
const binary = buildIfStale();
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const office = await openOffice({ dataDir, maintenance: false });
const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
const account = expectDone(await office.accounts.create(user));
const organization = expectDone(await office.organizations.create(account, 'Bench'));
const site = { organizationId: organization.id, name: 'Bench', domain: 'example.com' };
const property = expectDone(
  await office.properties.create({ ...DEFAULT_SETTINGS, ...site, validitySeconds: 7200 }),
);
// Level 1, so that minting half a million solutions takes seconds; the verifier's work is the same at every level.
const easy = { ...property, level: 1, growth: 'constant' } as const;
const key = { account, name: 'Bench', scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
const { secret } = expectDone(await office.apiKeys.create({ ...key, organizationId: undefined }));
office.close();

const yardstick = Bun.spawn([process.execPath, join(HERE, 'yardstick.ts')], { stdout: 'pipe' });
const reader = yardstick.stdout.getReader();
const yardPort = new TextDecoder().decode((await reader.read()).value).trim();
const yard: Target = { url: `http://127.0.0.1:${yardPort}`, pid: yardstick.pid };
// Rates that do not bind; everything else as shipped.
const server = await startBinary(binary, {
  POSTERN_DATA_DIR: dataDir,
  POSTERN_PUZZLE_RATE: '10000000',
  POSTERN_PUZZLE_BURST: '100000000',
  POSTERN_VERIFY_RATE: '10000000',
  POSTERN_VERIFY_BURST: '100000000',
});

try {
  const before = residentMegabytes(server.pid);
  const puzzlePath = `/puzzle?sitekey=${property.sitekey}`;
  wrk(server, puzzlePath, 'get.lua');
  const gets = { yard: [] as Figure[], ours: [] as Figure[] };
  for (let i = 0; i < WINDOWS; i++) {
    gets.yard.push(wrk(yard, puzzlePath, 'get.lua'));
    gets.ours.push(wrk(server, puzzlePath, 'get.lua'));
  }
  report('GET /puzzle', gets.yard, gets.ours);

  const mint = await createMint(dataDir, easy);
  const payloads = join(dataDir, 'payloads');
  const posts = { yard: [] as Figure[], ours: [] as Figure[] };
  let verified = 0;
  for (let i = -1; i < WINDOWS; i++) {
    const enough = Math.ceil((gets.yard[0] as Figure).rate * SECONDS);
    writeFileSync(payloads, Array.from({ length: enough }, mint).join('\n'));
    const hello = wrk(yard, '/verify', 'post.lua', { PAYLOADS: payloads, KEY: secret });
    const ours = wrk(server, '/verify', 'post.lua', { PAYLOADS: payloads, KEY: secret });
    verified += ours.requests;
    if (i < 0) continue; // the first warms up
    posts.yard.push(hello);
    posts.ours.push(ours);
  }
  report('POST /verify, durable', posts.yard, posts.ours);

  const claims = new Database(join(dataDir, 'claims.sqlite'), { readonly: true });
  const kept =
    claims.query<{ rows: number }, []>('SELECT count(*) AS rows FROM claims WHERE presentations = 1').get()
      ?.rows ?? 0;
  claims.close();
  // wrk does not count what was in flight when a window ended.
  if (kept < verified) throw new Error(`${verified} were answered, only ${kept} claims are kept`);
  console.log(`claims kept: ${kept}, each presented once; verifications counted by the client: ${verified}`);
  console.log(`memory: ${before.toFixed(0)} MB before, ${residentMegabytes(server.pid).toFixed(0)} MB after`);
} finally {
  yardstick.kill();
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
}

function expectDone<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
