/**
 * `bun test/bench/scale.ts`: measures the cost of a page of a list, a property, and a puzzle with many properties, relative to 100
 * properties. The same client measures both servers in alternating windows. Asserts no times.
 *
 * Needs wrk. Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2), BENCH_PROPERTIES (100000), with 100 properties per organization.
 */

import type { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../build.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import type { OrganizationId } from '../../src/model/organization.ts';
import type { PropertyId } from '../../src/model/property.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { createTestEngine } from '../support/engine.ts';
import { expectOk } from '../support/server.ts';
import { openTestServices } from '../support/services.ts';
import { type Load, measure, median, type Pair, report, residentMegabytes } from './client.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const MANY = Number(process.env.BENCH_PROPERTIES ?? 100_000);
const FEW = 100;
const PER_ORGANIZATION = 100;
/** Number of random paths. */
const PATHS = 300_000;
const BATCH = 128;
const BATCHES = 10;

type Installation = {
  readonly server: RunningBinary;
  readonly key: string;
  readonly organization: string;
  /** Files with paths, by type of request. */
  readonly paths: Readonly<Record<'list' | 'detail' | 'puzzle', string>>;
};

/** Adds properties as rows, because creating them one by one would take minutes. */
function fill(raw: Database, owner: number, count: number): void {
  const addOrganization = raw.query('INSERT INTO organizations VALUES (?, ?, ?, ?, 0, NULL)');
  const addProperty = raw.query(
    "INSERT INTO properties VALUES (?, ?, ?, ?, 'example.com', ?, 128, 'medium', 1800, 0, 0, 1, 1, 0, NULL)",
  );
  raw.transaction(() => {
    for (let i = 0; i < count / PER_ORGANIZATION; i++)
      addOrganization.run(i + 1, owner, `Org ${i}`, `org ${i}`);
    for (let i = 0; i < count; i++) {
      const organization = Math.floor(i / PER_ORGANIZATION) + 1;
      addProperty.run(i + 1, organization, `Blog ${i}`, `blog ${i}`, sitekeyOf(i));
    }
  })();
}

/** @returns a sitekey that looks random */
function sitekeyOf(i: number): string {
  return new Bun.CryptoHasher('md5').update(String(i)).digest('hex');
}

async function prepare(binary: string, count: number): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  folders.push(dataDir);
  const engine = createTestEngine();
  const services = await openTestServices(dataDir, engine);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  fill(engine.raw(), account.id, count);
  const draft = { account, name: 'Bench', scope: 'portal', isReadOnly: false, expiresAt: undefined } as const;
  const { secret: key } = expectOk(
    await services.apiKeys.create(INSTALLATION, { ...draft, organizationId: undefined }),
  );
  const organizationOf = (i: number) =>
    services.ids.seal('organization', (Math.floor(i / PER_ORGANIZATION) + 1) as OrganizationId);
  const propertyOf = (i: number) => services.ids.seal('property', (i + 1) as PropertyId);
  const write = (name: string, path: (i: number) => string) => {
    const file = join(dataDir, name);
    const lines = Array.from({ length: PATHS }, () => path(Math.floor(Math.random() * count)));
    writeFileSync(file, lines.join('\n'));
    return file;
  };
  const paths = {
    list: write('list', (i) => `/org/${organizationOf(i)}/properties?page=1&sort=name_asc&per_page=50`),
    detail: write('detail', (i) => `/org/${organizationOf(i)}/property/${propertyOf(i)}`),
    puzzle: write('puzzle', (i) => `/puzzle?sitekey=${sitekeyOf(i)}`),
  };
  const organization = organizationOf(0);
  await services.close();
  const server = await startBinary(binary, {
    POSTERN_DATA_DIR: dataDir,
    POSTERN_DNS_CHECK: 'off',
    POSTERN_PLAN_PROPERTIES: '100000000',
    POSTERN_PUZZLE_RATE: '10000000',
    POSTERN_PUZZLE_BURST: '100000000',
    POSTERN_VERIFY_RATE: '10000000',
    POSTERN_VERIFY_BURST: '100000000',
  });
  return { server, key, organization, paths };
}

function compare(few: Installation, many: Installation, kind: keyof Installation['paths']): readonly Pair[] {
  const pairs: Pair[] = [];
  const load = ({ key, paths }: Installation): Load => {
    const env = { PATHS: paths[kind], KEY: kind === 'puzzle' ? '' : key };
    return { path: '/', script: 'paths.lua', env };
  };
  for (let i = -1; i < WINDOWS; i++) {
    const pair = { baseline: measure(few.server, load(few)), server: measure(many.server, load(many)) };
    if (i >= 0) pairs.push(pair);
  }
  return pairs;
}

/** @returns milliseconds from the request to the finished task; the median of several batches in sequence */
async function timeBatches({ server, key, organization }: Installation): Promise<number> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(server.url + path, { headers, ...init });
    return ((await response.json()) as { data: { id: string; finished: boolean } }).data;
  };
  const times: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const items = Array.from({ length: BATCH }, (_, i) => ({
      name: `New ${batch} ${i}`,
      domain: 'example.com',
    }));
    const startedAt = performance.now();
    const task = await request(`/org/${organization}/properties`, {
      method: 'POST',
      body: JSON.stringify(items),
    });
    while (!(await request(`/asynctask/${task.id}`)).finished) await Bun.sleep(1);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const folders: string[] = [];
install();
const binary = buildIfStale();
const few = await prepare(binary, FEW);
const many = await prepare(binary, MANY);
try {
  for (const kind of ['list', 'detail', 'puzzle'] as const) {
    report(`${kind}, ${FEW} properties`, `${kind}, ${MANY} properties`, compare(few, many, kind));
  }
  const [fewMs, manyMs] = [await timeBatches(few), await timeBatches(many)];
  console.log(
    `a batch of ${BATCH}, from the request to the finished task: ${fewMs.toFixed(0)} ms with ${FEW}`,
  );
  console.log(`properties, ${manyMs.toFixed(0)} ms with ${MANY}`);
  const memory = [few, many].map(({ server }) => residentMegabytes(server.pid).toFixed(0));
  console.log(`memory: ${memory.join(' MB and ')} MB`);
} finally {
  await few.server.kill();
  await many.server.kill();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
