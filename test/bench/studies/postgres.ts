/**
 * `bun test/bench/studies/postgres.ts`: compares one node on SQLite, one on PostgreSQL, one on PostgreSQL with many stored claims, and two nodes
 * on PostgreSQL, in alternating windows. Compares processor time per request. Asserts no times.
 *
 * Needs wrk and PostgreSQL (Debian packages `wrk` and `postgresql`). Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2), BENCH_CLAIMS
 * (10000000), BENCH_RATE (30000 verifications per second, at most; payloads are prepared for this rate).
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../../build/build.ts';
import { createPostgresEngine } from '../../../src/storage/postgres/engine.ts';
import { locationOf } from '../../storage/postgres/ledgers.ts';
import type { RunningBinary } from '../../support/binary.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { type Load, measureTogether } from '../clients/wrk.ts';
import { databaseCpu } from '../harness/databaseCpu.ts';
import { median } from '../harness/row.ts';
import { prepare, start } from '../installation.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const CLAIMS = Number(process.env.BENCH_CLAIMS ?? 10_000_000);
const PAYLOADS = Number(process.env.BENCH_RATE ?? 30_000) * Number(process.env.BENCH_SECONDS ?? 2);

type Installation = Awaited<ReturnType<typeof prepare>>;
type Setup = {
  readonly name: string;
  readonly nodes: readonly RunningBinary[];
  readonly installation: Installation;
};
/** Microseconds of processor time per request: of all nodes, and of PostgreSQL. */
type Cost = { readonly rate: number; readonly p50: number; readonly node: number; readonly database: number };

const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));

const puzzle = ({ installation }: Setup): Load => ({
  path: `/puzzle?sitekey=${installation.sitekey}`,
  script: 'get.lua',
});

/** @param index of the node */
function freshPayloads({ installation, nodes }: Setup, index: number): Load {
  const file = join(dataDir, `payloads${index}`);
  const count = Math.ceil(PAYLOADS / nodes.length);
  writeFileSync(file, Array.from({ length: count }, installation.newPayload).join('\n'));
  return { path: '/verify', script: 'post.lua', env: { PAYLOADS: file, KEY: installation.secret } };
}

/** Alternates the setups, after one round for warming up. */
async function compare(
  setups: readonly Setup[],
  database: PostgresServer,
  load: (setup: Setup, index: number) => Load,
): Promise<readonly Cost[][]> {
  const costs: Cost[][] = setups.map(() => []);
  for (let window = -1; window < WINDOWS; window++) {
    for (const [i, setup] of setups.entries()) {
      const loads = setup.nodes.map((_, index) => load(setup, index));
      const before = databaseCpu(database);
      const measured = await measureTogether(setup.nodes, loads);
      const used = databaseCpu(database) - before;
      const requests = measured.reduce((sum, one) => sum + one.requests, 0);
      const node = measured.reduce((sum, one) => sum + one.cpu * one.requests, 0) / requests;
      const rate = measured.reduce((sum, one) => sum + one.rate, 0);
      const p50 = median(measured.map((one) => one.p50));
      if (window >= 0) costs[i]?.push({ rate, p50, node, database: used / requests });
    }
  }
  return costs;
}

function report(title: string, setups: readonly Setup[], costs: readonly Cost[][]): void {
  console.log(title);
  const [first = []] = costs;
  for (const [i, setup] of setups.entries()) {
    const of = (key: keyof Cost) => median((costs[i] ?? []).map((cost) => cost[key]));
    const ratios = (costs[i] ?? []).map(({ node }, window) => (first[window]?.node ?? Number.NaN) / node);
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
    console.log(
      [
        `  ${setup.name.padEnd(36)} ${of('node').toFixed(1).padStart(6)} µs per request in Postern`,
        `${of('database').toFixed(1).padStart(6)} µs in PostgreSQL`,
        `${of('rate').toFixed(0).padStart(6)} requests/s`,
        `p50 ${of('p50').toFixed(1)} ms`,
        `per CPU second ${median(ratios).toFixed(2)} of SQLite (windows ${low} to ${high})`,
      ].join('   '),
    );
  }
}

/** Adds random claims that expire within the next two hours. */
async function fillClaims(database: PostgresServer, name: string): Promise<void> {
  const sql = database.connectAdmin({ name });
  const now = Math.floor(Date.now() / 1000);
  await sql`
    INSERT INTO claims SELECT ${now}::bigint + i * 7200 / ${CLAIMS}::bigint, substring(uuid_send(gen_random_uuid()) FROM 9), 1
    FROM generate_series(1::bigint, ${CLAIMS}::bigint) AS numbers (i)`;
  await sql.unsafe('VACUUM ANALYZE claims');
  await sql.unsafe('CHECKPOINT');
  await sql.close();
}

install();
const binary = buildIfStale();
const database = await startPostgres({
  isDurable: true,
  settings: { shared_buffers: '512MB', max_wal_size: '4GB', autovacuum: 'on' },
});
const servers: RunningBinary[] = [];

async function startNodes(name: string, count: number, url?: string): Promise<Setup> {
  const folder = join(dataDir, name);
  const installation = await prepare(folder, url ? createPostgresEngine(locationOf(url)) : undefined);
  const nodes: RunningBinary[] = [];
  for (let i = 0; i < count; i++)
    nodes.push(await start(binary, folder, url ? { POSTERN_DATABASE_URL: url } : {}));
  servers.push(...nodes);
  return { name, nodes, installation };
}

try {
  const full = await database.createDatabase();
  const fullSetup = await startNodes(`one node, ${CLAIMS} claims stored`, 1, full.url);
  await fillClaims(database, full.name);
  const setups = [
    await startNodes('one node on SQLite', 1),
    await startNodes('one node on PostgreSQL', 1, (await database.createDatabase()).url),
    fullSetup,
    await startNodes('two nodes on PostgreSQL', 2, (await database.createDatabase()).url),
  ];
  report('GET /puzzle', setups, await compare(setups, database, puzzle));
  report('POST /verify, durable', setups, await compare(setups, database, freshPayloads));
} finally {
  for (const server of servers) await server.kill();
  await database.remove();
  rmSync(dataDir, { recursive: true, force: true });
}
