/**
 * `bun test/bench/studies/argon2.ts`: measures whether the verification of argon2id solutions slows down the verification of BLAKE2b solutions:
 * the p99 of `POST /verify` for BLAKE2b in alternating windows, without other load and while argon2id verifications are waiting all the
 * time. Asserts no times.
 *
 * Needs wrk (Debian package `wrk`). Environment: BENCH_WINDOWS (9), BENCH_SECONDS (2), BENCH_BINARY (a command instead of the binary),
 * and the settings of the server, such as POSTERN_ARGON2_PARALLELISM.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../../build/build.ts';
import { type Load, type Measurement, measureTogether } from '../clients/wrk.ts';
import { median } from '../harness/row.ts';
import { prepare, start } from '../installation.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
/** Different payloads, because simultaneous requests with the same payload share one verification. */
const ARGON2ID_PAYLOADS = 48;
/** More than run at the same time, and fewer than a property's part of the queue, so that no verification is rejected. */
const ARGON2ID_CONNECTIONS = 2 * availableParallelism() + 2;
/** More than the server can verify in a second on two cores. */
const MAX_RATE = 40_000;

install();
const binary = process.env.BENCH_BINARY?.split(' ') ?? buildIfStale();
const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const { secret, newPayload, solveRepeatable } = await prepare(dataDir);
const argon2idPayloads = await solveRepeatable('argon2id', ARGON2ID_PAYLOADS);
const files = { argon2id: join(dataDir, 'argon2id'), blake2b: join(dataDir, 'blake2b') };
writeFileSync(files.argon2id, argon2idPayloads.join('\n'));

const parallelism = process.env.POSTERN_ARGON2_PARALLELISM;
const settings = parallelism === undefined ? {} : { POSTERN_ARGON2_PARALLELISM: parallelism };
const server = await start(binary, dataDir, settings);

const argon2id: Load = {
  path: '/verify',
  script: 'repeat.lua',
  env: { PAYLOADS: files.argon2id, KEY: secret },
  connections: ARGON2ID_CONNECTIONS,
};

/** Measures windows without and with argon2id verifications. @param connections of the client that sends BLAKE2b solutions */
async function compare(connections: number): Promise<void> {
  const quiet: Measurement[] = [];
  const saturated: Measurement[] = [];
  const others: Measurement[] = [];
  for (let i = -1; i < WINDOWS; i++) {
    const first = await blake2bWindow(connections, false);
    const [second, other] = await blake2bWindow(connections, true);
    // The first windows warm up the server.
    if (i < 0 || first[0] === undefined || second === undefined || other === undefined) continue;
    quiet.push(first[0]);
    saturated.push(second);
    others.push(other);
  }
  const ratio = (key: 'p50' | 'p99' | 'rate') => {
    const ratios = quiet.map((one, i) => (saturated[i]?.[key] ?? Number.NaN) / one[key]);
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((value) => value.toFixed(2));
    return `${median(ratios).toFixed(2)} (windows ${low} to ${high})`;
  };
  const line = (name: string, of: readonly Measurement[]) => {
    const middle = (key: 'p50' | 'p99' | 'rate') => median(of.map((one) => one[key]));
    console.log(
      `${name.padEnd(34)} ${middle('rate').toFixed(0).padStart(7)}/s  p50 ${middle('p50').toFixed(2)} ms  p99 ${middle('p99').toFixed(2)} ms`,
    );
  };
  console.log(`BLAKE2b over ${connections} connections`);
  line('quiet', quiet);
  line('argon2id saturated', saturated);
  line('the argon2id verifications', others);
  console.log(`ratio of p50 ${ratio('p50')}, of p99 ${ratio('p99')}, of the rate ${ratio('rate')}\n`);
}

/** @returns the measurement of BLAKE2b, and of argon2id if it runs at the same time */
function blake2bWindow(connections: number, isSaturated: boolean): Promise<Measurement[]> {
  const payloads = Array.from({ length: MAX_RATE * SECONDS }, newPayload);
  writeFileSync(files.blake2b, payloads.join('\n'));
  const env = { PAYLOADS: files.blake2b, KEY: secret };
  const blake2b: Load = { path: '/verify', script: 'post.lua', env, connections };
  return isSaturated
    ? measureTogether([server, server], [blake2b, argon2id])
    : measureTogether([server], [blake2b]);
}

try {
  console.log(`${availableParallelism()} cores, parallelism ${parallelism ?? 'default'}\n`);
  await compare(1);
  await compare(8);
  await compare(32);
} finally {
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
}
