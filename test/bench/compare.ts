/**
 * `bun test/bench/compare.ts BEFORE AFTER`: compares two executables in alternating windows, for example before and after a change
 * of the hot path. Asserts no times.
 *
 * Needs wrk (Debian package `wrk`). Environment: BENCH_WINDOWS (7), BENCH_SECONDS (2), BENCH_RATE (60000 verifications per second, at
 * most; payloads are prepared for this rate).
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningBinary } from '../support/binary.ts';
import { type Load, measure, type Pair, report, residentMegabytes } from './client.ts';
import { prepare, start } from './installation.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 7);
const PAYLOADS = Number(process.env.BENCH_SECONDS ?? 2) * Number(process.env.BENCH_RATE ?? 60_000);

type Installation = Awaited<ReturnType<typeof prepare>> & {
  readonly dataDir: string;
  readonly server: RunningBinary;
};

async function install(binary: string): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  const prepared = await prepare(dataDir);
  return { ...prepared, dataDir, server: await start(binary, dataDir) };
}

function puzzles({ sitekey }: Installation): Load {
  return { path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua' };
}

function verifications({ dataDir, secret, newPayload }: Installation): Load {
  const payloads = join(dataDir, 'payloads');
  writeFileSync(payloads, Array.from({ length: PAYLOADS }, newPayload).join('\n'));
  return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: secret } };
}

/** Alternates the windows and their order, after one pair for warming up. */
function compare(
  before: Installation,
  after: Installation,
  loadOf: (one: Installation) => Load,
): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = -1; i < WINDOWS; i++) {
    const order = i % 2 === 0 ? [before, after] : [after, before];
    const measured = new Map(order.map((one) => [one, measure(one.server, loadOf(one))]));
    const [baseline, server] = [measured.get(before), measured.get(after)];
    if (i >= 0 && baseline !== undefined && server !== undefined) pairs.push({ baseline, server });
  }
  return pairs;
}

const [beforePath, afterPath] = process.argv.slice(2);
if (beforePath === undefined || afterPath === undefined) throw new Error('name two executables');
const before = await install(beforePath);
const after = await install(afterPath);
try {
  report('GET /puzzle, before', 'after', compare(before, after, puzzles));
  report('POST /verify, before', 'after', compare(before, after, verifications));
  const [old, now] = [before, after].map(({ server }) => residentMegabytes(server.pid).toFixed(0));
  console.log(`memory: ${old} MB before, ${now} MB after`);
} finally {
  for (const { server, dataDir } of [before, after]) {
    await server.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
