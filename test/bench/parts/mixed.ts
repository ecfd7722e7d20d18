import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingForClients } from '../clients/compile.ts';
import { type OpenLoop, type OpenLoopResult, openOpenLoop, WARM_UP_SECONDS } from '../clients/openLoop.ts';
import { type Measurement, measure } from '../clients/wrk.ts';
import { type BenchServer, type Lab, threadSettings } from '../harness/lab.ts';
import { measureVerifications } from '../harness/loads.ts';
import { type Row, type Target, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

/** Verification of BLAKE2b solutions while the server also verifies those of the other kinds. */

/** Share of the maximum rate of BLAKE2b verifications at which their latency is measured. */
const BLAKE2B_SHARE = 0.2;
/** Share of the maximum rate of HashWX verifications that arrives at the same time, and so about the share of the thread's time. */
const HASHWX_SHARE = 0.25;
/** Different payloads, because simultaneous requests with the same argon2id payload share one verification. */
const PAYLOADS = 16;
/** One verification is always running, and one is waiting. */
const ARGON2ID_CONNECTIONS = 2;

type Scene = {
  readonly lab: Lab;
  readonly client: OpenLoop;
  readonly server: BenchServer;
  readonly hashwx: readonly string[];
  readonly argon2id: readonly string[];
};

type Rates = { readonly blake2b: number; readonly hashwx: number };

/** One window of each measurement. */
type Windows = {
  readonly alone: { readonly latency: OpenLoopResult; readonly full: Measurement };
  readonly mixed: {
    readonly latency: OpenLoopResult;
    readonly hashwx: OpenLoopResult;
    readonly argon2idRate: number;
    readonly full: Measurement;
  };
};

async function verify({ url, secret }: BenchServer, body: string): Promise<void> {
  const headers = { 'content-type': 'text/plain', 'x-api-key': secret };
  const response = await fetch(new URL('/verify', url), { method: 'POST', headers, body });
  const verdict = await response.text();
  if (!verdict.startsWith('{"success":true')) throw new Error(`not accepted: ${response.status} ${verdict}`);
}

/** Verifies payloads one after the other over some connections. @returns a function that stops, and returns the number of verifications */
function keepVerifying(server: BenchServer, payloads: readonly string[], connections: number) {
  let isStopped = false;
  let verified = 0;
  const loops = Array.from({ length: connections }, async (_, connection) => {
    for (let i = connection; !isStopped; i += connections) {
      await verify(server, payloads[i % payloads.length] ?? '');
      verified++;
    }
  });
  return async (): Promise<number> => {
    isStopped = true;
    await Promise.all(loops);
    return verified;
  };
}

/** Measures the latency of BLAKE2b verifications beside both other kinds. */
async function measureLatency(scene: Scene, { blake2b, hashwx }: Rates) {
  const { client, server, lab } = scene;
  const { seconds } = lab.duration;
  const startedAt = performance.now();
  const stop = keepVerifying(server, scene.argon2id, ARGON2ID_CONNECTIONS);
  try {
    const [latency, others] = await Promise.all([
      client.verifications(server, blake2b, seconds),
      client.repeated(server, scene.hashwx, hashwx, seconds),
    ]);
    const argon2idRate = ((await stop()) * 1000) / (performance.now() - startedAt);
    return { latency, hashwx: others, argon2idRate };
  } finally {
    await stop();
  }
}

/** Measures the rate of BLAKE2b verifications over 32 connections beside a constant rate of HashWX verifications. */
async function measureFullBeside({ client, server, lab, hashwx }: Scene, rate: number, estimate: number) {
  const others = client.repeated(server, hashwx, rate, lab.duration.seconds + WARM_UP_SECONDS);
  // A rejection must not be unhandled while the other client runs.
  others.catch(() => {});
  await Bun.sleep(1000 * WARM_UP_SECONDS);
  const full = await measureVerifications(lab, server, estimate);
  await others;
  return full;
}

/** Prepares the payloads of a pair of windows, so that nothing is computed while a client runs. */
function ensurePayloads({ lab, server }: Scene, { blake2b }: Rates, estimate: number): Promise<void> {
  const { seconds } = lab.duration;
  const count = 2 * blake2b * (seconds + WARM_UP_SECONDS) + 4 * estimate * seconds;
  return lab.payloads.ensure(Math.ceil(server.sent + count + 1000));
}

async function measureWindows(scene: Scene, rates: Rates, estimate: number): Promise<Windows> {
  const { lab, client, server } = scene;
  await ensurePayloads(scene, rates, estimate);
  const latency = await client.verifications(server, rates.blake2b, lab.duration.seconds);
  const mixed = await measureLatency(scene, rates);
  const full = await measureVerifications(lab, server, estimate);
  const fullBeside = await measureFullBeside(scene, rates.hashwx, estimate);
  return { alone: { latency, full }, mixed: { ...mixed, full: fullBeside } };
}

/** Measures HashWX verifications over as many connections as BLAKE2b verifications. */
function measureHashwx({ lab: { folder, duration }, server, hashwx }: Scene): Promise<Measurement> {
  const file = join(folder, 'hashwx');
  writeFileSync(file, hashwx.join('\n'));
  const env = { PAYLOADS: file, KEY: server.secret };
  return measure(server, { path: '/verify', script: 'repeat.lua', env, seconds: duration.seconds });
}

const ALONE = 'BLAKE2b alone';

function toRows(windows: readonly Windows[], hashwx: readonly Measurement[], rates: Rates): readonly Row[] {
  const latencyRow = (title: string, value: (of: OpenLoopResult) => number, target?: Target) =>
    toRow({
      name: `BLAKE2b beside HashWX and argon2id, ${title}`,
      unit: 'ms',
      values: windows.map(({ mixed }) => value(mixed.latency)),
      yardstick: { name: ALONE, values: windows.map(({ alone }) => value(alone.latency)) },
      ...(target && { target }),
    });
  const plainRow = (name: string, unit: string, value: (window: Windows) => number) =>
    toRow({ name, unit, values: windows.map(value) });
  const alone = { name: ALONE, values: windows.map(({ alone }) => alone.full.rate) };
  return [
    plainRow('BLAKE2b, constant rate', 'requests/s', () => rates.blake2b),
    plainRow('HashWX, constant rate', 'requests/s', () => rates.hashwx),
    plainRow('argon2id, rate', 'requests/s', ({ mixed }) => mixed.argon2idRate),
    latencyRow('p50', ({ p50 }) => p50),
    latencyRow('p99', ({ p99 }) => p99, { of: 'ratio', bound: 'at most', required: 1.2 }),
    latencyRow('client: p99 of its own delay', ({ lateP99 }) => lateP99),
    plainRow('HashWX beside BLAKE2b and argon2id, p99', 'ms', ({ mixed }) => mixed.hashwx.p99),
    toRow({
      name: 'BLAKE2b over 32 connections beside HashWX, rate',
      unit: 'requests/s',
      values: windows.map(({ mixed }) => mixed.full.rate),
      yardstick: alone,
      target: { of: 'ratio', bound: 'at least', required: 0.65 },
    }),
    toRow({
      name: 'HashWX over 32 connections, rate',
      unit: 'requests/s',
      values: hashwx.map(({ rate }) => rate),
      yardstick: alone,
    }),
    toRow({
      name: 'HashWX over 32 connections, processor time',
      unit: 'µs/request',
      values: hashwx.map(({ cpu }) => cpu),
      yardstick: { name: ALONE, values: windows.map(({ alone: { full } }) => full.cpu) },
    }),
  ];
}

async function run(lab: Lab): Promise<readonly Row[]> {
  const scene: Scene = {
    lab,
    client: await openOpenLoop(lab),
    server: await lab.startServer(threadSettings(1)),
    hashwx: await lab.solveRepeatable('hashwx', PAYLOADS),
    argon2id: await lab.solveRepeatable('argon2id', PAYLOADS),
  };
  await verify(scene.server, scene.argon2id[0] ?? '');
  // The first window of each kind warms up the server.
  await measureVerifications(lab, scene.server);
  await measureHashwx(scene);
  const blake2b = await measureVerifications(lab, scene.server);
  const hashwx = await measureHashwx(scene);
  const rates = {
    blake2b: Math.ceil(BLAKE2B_SHARE * blake2b.rate),
    hashwx: Math.ceil(HASHWX_SHARE * hashwx.rate),
  };
  const windows: Windows[] = [];
  const full: Measurement[] = [];
  while (windows.length < lab.duration.windows) {
    windows.push(await measureWindows(scene, rates, 1.3 * blake2b.rate));
    full.push(await measureHashwx(scene));
  }
  return toRows(windows, full, rates);
}

export const mixed: Part = {
  name: 'mixed',
  title: 'Verifying all kinds of puzzles at the same time',
  method:
    'A server with one request thread verifies BLAKE2b solutions in alternating windows: alone, and beside the other kinds. First, the benchmark measures the maximum rates of BLAKE2b and of HashWX over 32 connections. For the latency, the client of [the latency below the maximum rate](#latency-below-the-maximum-rate) sends BLAKE2b solutions at a fifth of their maximum rate, so that the server is not saturated; beside them, a second such client sends HashWX solutions at a quarter of their maximum rate, which takes about a quarter of the thread’s time, and two connections verify argon2id solutions without a pause. For the rate, wrk sends BLAKE2b solutions over 32 connections, alone and beside the same constant rate of HashWX. Each BLAKE2b solution is sent once; the properties of the other kinds allow repeats, and the server checks the work of each repeat.',
  limitSeconds: 300,
  needs: ['wrk'],
  isMissing: () => missingForClients(false),
  run,
};
