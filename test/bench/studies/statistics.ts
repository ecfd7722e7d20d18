/**
 * `bun test/bench/studies/statistics.ts`: measures the cost of statistics. Compares a server with statistics and one without them in
 * alternating windows: `GET /puzzle` for one property and for many, and `POST /verify`. Then measures writing and reading
 * statistics. Asserts no times.
 *
 * Needs wrk. Environment: BENCH_WINDOWS (9), BENCH_SECONDS (2), BENCH_PROPERTIES (20000).
 */

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIssuePuzzle } from '../../../src/captcha/issue.ts';
import { createLoadMeter } from '../../../src/captcha/load.ts';
import type { ReplayGuard } from '../../../src/captcha/replay.ts';
import { createKeyRing } from '../../../src/captcha/signature.ts';
import { createUsage } from '../../../src/captcha/usage.ts';
import { createVerifySolution } from '../../../src/captcha/verify.ts';
import { systemRandom } from '../../../src/lib/ids.ts';
import { systemClock } from '../../../src/lib/time.ts';
import type { AccountId } from '../../../src/model/account.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { Property } from '../../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { COUNTS_SIZE, type Hour } from '../../../src/model/statistics.ts';
import { createBlake2bCheck } from '../../../src/server/blake2b.ts';
import { noUsage, principal } from '../../captcha/fakes.ts';
import { createTestEngine } from '../../support/engine.ts';
import { openTestServices } from '../../support/services.ts';
import { alternate, type Load, measure, type Pair, report, type Target } from '../clients/wrk.ts';
import { median } from '../harness/row.ts';
import { createPayloadGenerator } from '../payloads.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const PROPERTIES = Number(process.env.BENCH_PROPERTIES ?? 20_000);
/** Rounds of the in-process comparison, and calls per round. */
const [ROUNDS, ROUND_SIZE] = [60, 2000];
const UNLIMITED = '100000000';

type Server = Target & { readonly end: () => Promise<void> };

/** Creates many properties and an API key in a data folder. */
async function prepare(dataDir: string) {
  const engine = createTestEngine();
  const services = await openTestServices(dataDir, engine);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  const organization = expectOk(
    await services.organizations.create(INSTALLATION, { name: 'Bench', ownerId: account.id }),
  );
  const properties: Property[] = [];
  engine.raw().run('PRAGMA synchronous = OFF');
  const common = { ...DEFAULT_SETTINGS, organizationId: organization.id, domain: 'example.com' };
  for (let i = 0; i < PROPERTIES; i++) {
    const draft = { ...common, name: `Bench ${i}`, validitySeconds: 7200 };
    properties.push(expectOk(await services.properties.create(INSTALLATION, draft)));
  }
  const key = { account, name: 'Bench', scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
  const { secret } = expectOk(
    await services.apiKeys.create(INSTALLATION, { ...key, organizationId: undefined }),
  );
  await services.close();
  return { properties, secret };
}

async function start(dataDir: string, counts: 'on' | 'off'): Promise<Server> {
  const rates = ['PUZZLE_RATE', 'PUZZLE_BURST', 'VERIFY_RATE', 'VERIFY_BURST'].map((name) => [
    `POSTERN_${name}`,
    UNLIMITED,
  ]);
  const env = {
    PATH: process.env.PATH ?? '',
    POSTERN_DATA_DIR: dataDir,
    COUNTS: counts,
    ...Object.fromEntries(rates),
  };
  const command = [process.execPath, '--smol', join(import.meta.dir, 'statisticsServer.ts')];
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
  const end = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  return { url, pid: child.pid, end };
}

/** Alternates the windows and their order, after one for warming up. */
async function compare(
  without: Target,
  counting: Target,
  load: (on: Target) => Load,
): Promise<readonly Pair[]> {
  return alternate(
    WINDOWS,
    () => measure(without, load(without)),
    () => measure(counting, load(counting)),
  );
}

/** Measures issuing and verifying in this thread, without HTTP and ledger, which varies little on a busy machine. */
async function compareInProcess(dataDir: string, property: Property): Promise<void> {
  const services = await openTestServices(dataDir);
  const ring = createKeyRing(await services.signingKeys.list());
  await services.close();
  const newPayload = await createPayloadGenerator(dataDir, { ...property, level: 1, growth: 'constant' });
  const payloads = Array.from({ length: ROUND_SIZE }, newPayload);
  const owner = { ...principal, memberOf: new Set([property.organizationId]) };
  const found = { ...property, ownerId: 1 as AccountId };
  const common = {
    properties: { bySitekey: () => found },
    keyRing: () => ring,
    clock: systemClock,
    hasTestProperty: false,
    decide: () => undefined,
    rulesOf: () => undefined,
    onFailure: () => {},
  };
  const kinds = { nothing: noUsage, counted: createUsage(1000, () => {}) };
  const variants = Object.entries(kinds).map(([name, usage]) => {
    const load = createLoadMeter(1000);
    const issue = createIssuePuzzle({ ...common, usage, load, random: systemRandom });
    const guard: Omit<ReplayGuard, 'readCache'> = {
      claim: () => 'first',
      isSpent: () => false,
      claimOnce: async () => 'first',
      recall: async () => undefined,
    };
    const verify = createVerifySolution({
      ...common,
      usage,
      load,
      guard,
      checkBlake2b: createBlake2bCheck(),
      checkArgon2id: async () => 'invalid',
      checkHashwx: () => false,
      isInMaintenance: () => false,
    });
    return { name, issue, verify };
  });
  const request = {
    sitekey: property.sitekey,
    origin: 'https://example.com',
    client: 1,
    version: 1,
  } as const;
  const times = { issue: new Map<string, number[]>(), verify: new Map<string, number[]>() };
  const record = (of: Map<string, number[]>, name: string, startedAt: number) => {
    const microseconds = (1000 * (performance.now() - startedAt)) / ROUND_SIZE;
    of.set(name, [...(of.get(name) ?? []), microseconds]);
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, issue, verify } of round % 2 === 0 ? variants : variants.toReversed()) {
      let at = performance.now();
      for (let i = 0; i < ROUND_SIZE; i++) void issue(request);
      record(times.issue, name, at);
      at = performance.now();
      for (const payload of payloads) void verify({ payload, principal: owner, expectedSitekey: undefined });
      record(times.verify, name, at);
    }
  }
  for (const [operation, of] of Object.entries(times)) {
    const [nothing, counted] = Object.keys(kinds).map((name) => median((of.get(name) ?? []).slice(4)));
    console.log(
      `${operation} in process: ${nothing?.toFixed(2)} µs without, ${counted?.toFixed(2)} µs with statistics`,
    );
  }
}

const root = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const folders = ['without', 'counting'].map((name) => join(root, name)) as [string, string];
const prepared = await Promise.all(folders.map(prepare));
const [first] = prepared[0]?.properties ?? [];
if (first !== undefined) await compareInProcess(folders[0], first);
const [without, counting] = [await start(folders[0], 'off'), await start(folders[1], 'on')];
const of = (target: Target) => prepared[target === without ? 0 : 1] as (typeof prepared)[number];

try {
  const one = (target: Target): Load => ({
    path: `/puzzle?sitekey=${of(target).properties[0]?.sitekey}`,
    script: 'get.lua',
  });
  const gets = await compare(without, counting, one);
  report('GET /puzzle, no statistics', 'GET /puzzle, statistics', gets);

  const paths = (target: Target) => join(root, target === without ? 'without.paths' : 'counting.paths');
  for (const target of [without, counting]) {
    const { properties } = of(target);
    const draws = Array.from({ length: 200_000 }, () => {
      const { sitekey } = properties[Math.floor(Math.random() * properties.length)] as Property;
      return `/puzzle?sitekey=${sitekey}`;
    });
    writeFileSync(paths(target), draws.join('\n'));
  }
  const many = (target: Target): Load => ({
    path: '',
    script: 'paths.lua',
    env: { PATHS: paths(target), KEY: '' },
  });
  report(
    `${PROPERTIES} properties, no statistics`,
    `${PROPERTIES} properties, statistics`,
    await compare(without, counting, many),
  );

  const count = Math.ceil(70_000 * SECONDS);
  const generators = await Promise.all(
    folders.map((folder, index) => {
      const property = prepared[index]?.properties[0] as Property;
      return createPayloadGenerator(folder, { ...property, level: 1, growth: 'constant' });
    }),
  );
  const payloads = join(root, 'payloads');
  const fresh = (target: Target): Load => {
    const newPayload = generators[target === without ? 0 : 1] as () => string;
    writeFileSync(payloads, Array.from({ length: count }, newPayload).join('\n'));
    return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: of(target).secret } };
  };
  report('POST /verify, no statistics', 'POST /verify, statistics', await compare(without, counting, fresh));
} finally {
  await Promise.all([without.end(), counting.end()]);
}
await measureStore(folders[1]);
rmSync(root, { recursive: true, force: true });

/** Measures the store with one hour of statistics per property. */
async function measureStore(dataDir: string): Promise<void> {
  const engine = createTestEngine();
  const services = await openTestServices(dataDir, engine);
  const { statistics } = services.stores;
  const { properties } = prepared[1] as (typeof prepared)[number];
  const file = join(dataDir, 'postern.sqlite');
  const sizeAfterCheckpoint = () => {
    engine.raw().run('PRAGMA wal_checkpoint(TRUNCATE)');
    return statSync(file).size;
  };
  const now = Math.floor(Date.now() / 3_600_000);
  const before = sizeAfterCheckpoint();
  const counts = new Uint32Array(COUNTS_SIZE);
  // A typical hour: puzzles, successes, one kind of failure, and eight buckets of solve times.
  for (const position of [0, 1, 3, 12, 56, 57, 58, 59, 60, 61, 62, 63]) counts[position] = 20;
  for (const round of ['first', 'again']) {
    const times: number[] = [];
    for (let i = 0; i < properties.length; i += 128) {
      const records = properties
        .slice(i, i + 128)
        .map(({ sitekey }) => ({ sitekey, hour: (now - 800) as Hour, counts: [...counts] }));
      const at = performance.now();
      await statistics.add(records);
      times.push(performance.now() - at);
    }
    print(`writing 128 records, ${round}`, times);
  }
  console.log(
    `one hour of a property on disk: ${((sizeAfterCheckpoint() - before) / properties.length).toFixed(0)} bytes`,
  );
  const reads: number[] = [];
  const day = Math.floor(now / 24);
  for (const { id } of properties.slice(0, 500)) {
    const at = performance.now();
    await statistics.byDay({ property: id }, (day - 364) as never, (day + 1) as never);
    reads.push(performance.now() - at);
  }
  print('reading a year', reads);
  const moves: number[] = [];
  for (;;) {
    const at = performance.now();
    if ((await statistics.rollUp(now as Hour)) === 0) break;
    moves.push(performance.now() - at);
  }
  print('rolling up 256 hours', moves);
  await services.close();
}

function print(name: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
  console.log(`${name}: p50 ${at(0.5)} ms, worst ${at(1)} ms (${sorted.length} times)`);
}

function expectOk<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
