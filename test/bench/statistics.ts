/**
 * `bun test/bench/statistics.ts`: what counting costs. Two servers on folders of their own, one that counts and one that
 * does not, window by window in turn: `GET /puzzle` of one property and of many, and `POST /verify`. Then what writing
 * and reading cost by themselves. Nothing here asserts a time.
 *
 * Needs wrk. Environment: BENCH_WINDOWS (9), BENCH_SECONDS (2), BENCH_PROPERTIES (20000).
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIssuePuzzle } from '../../src/captcha/issue.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import type { ReplayGuard } from '../../src/captcha/replay.ts';
import { createKeyRing } from '../../src/captcha/signature.ts';
import { createUsage } from '../../src/captcha/usage.ts';
import { createVerifySolution } from '../../src/captcha/verify.ts';
import { systemRandom } from '../../src/lib/ids.ts';
import { systemClock } from '../../src/lib/time.ts';
import type { Property } from '../../src/model/property.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { COUNTS_SIZE, type Hour } from '../../src/model/statistics.ts';
import { createBlake2b, createHmac } from '../../src/server/crypto.ts';
import { noUsage, principal } from '../captcha/fakes.ts';
import { createTestEngine } from '../support/engine.ts';
import { openTestServices } from '../support/services.ts';
import { type Load, measure, median, type Pair, report, type Target } from './client.ts';
import { createPayloadGenerator } from './payloads.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 9);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 2);
const PROPERTIES = Number(process.env.BENCH_PROPERTIES ?? 20_000);
/** Rounds of the use cases alone, and calls in each. */
const [ROUNDS, ROUND_SIZE] = [60, 2000];
const ENOUGH = '100000000';

type Server = Target & { readonly end: () => Promise<void> };

/** A folder with many properties and a key. */
async function prepare(dataDir: string) {
  const engine = createTestEngine();
  const services = await openTestServices(dataDir, engine);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: false, password: undefined };
  const account = expectDone(await services.accounts.create(user));
  const organization = expectDone(await services.organizations.create(account, 'Bench'));
  const properties: Property[] = [];
  engine.raw().run('PRAGMA synchronous = OFF');
  const common = { ...DEFAULT_SETTINGS, organizationId: organization.id, domain: 'example.com' };
  for (let i = 0; i < PROPERTIES; i++) {
    const site = { ...common, name: `Bench ${i}`, validitySeconds: 7200 };
    properties.push(expectDone(await services.properties.create(site)));
  }
  const key = { account, name: 'Bench', scope: 'verify', isReadOnly: false, expiresAt: undefined } as const;
  const { secret } = expectDone(await services.apiKeys.create({ ...key, organizationId: undefined }));
  await services.close();
  return { properties, secret };
}

async function start(dataDir: string, counts: 'on' | 'off'): Promise<Server> {
  const rates = ['PUZZLE_RATE', 'PUZZLE_BURST', 'VERIFY_RATE', 'VERIFY_BURST'].map((name) => [
    `POSTERN_${name}`,
    ENOUGH,
  ]);
  const env = {
    PATH: process.env.PATH ?? '',
    POSTERN_DATA_DIR: dataDir,
    COUNTS: counts,
    ...Object.fromEntries(rates),
  };
  const words = [process.execPath, '--smol', join(import.meta.dir, 'statisticsServer.ts')];
  const child = Bun.spawn(words, { env, stdout: 'pipe', stderr: 'inherit' });
  const { value } = await child.stdout.getReader().read();
  const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
  const end = async () => {
    child.kill('SIGKILL');
    await child.exited;
  };
  return { url, pid: child.pid, end };
}

/** The windows in turn, each server first in every other one, after one to warm up. */
function compare(without: Target, counting: Target, load: (on: Target) => Load): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = -1; i < WINDOWS; i++) {
    const order = i % 2 === 0 ? [without, counting] : [counting, without];
    const found = new Map(order.map((target) => [target, measure(target, load(target))]));
    const [theirs, ours] = [found.get(without), found.get(counting)];
    if (i >= 0 && theirs !== undefined && ours !== undefined) pairs.push({ theirs, ours });
  }
  return pairs;
}

/** The two use cases alone, in this thread, without HTTP and ledger: steady however busy the machine is. */
async function compareInProcess(dataDir: string, property: Property): Promise<void> {
  const services = await openTestServices(dataDir);
  const ring = createKeyRing(await services.signingKeys.list());
  await services.close();
  const mint = await createPayloadGenerator(dataDir, { ...property, level: 1, growth: 'constant' });
  const payloads = Array.from({ length: ROUND_SIZE }, mint);
  const owner = { ...principal, memberOf: new Set([property.organizationId]) };
  const common = {
    properties: { bySitekey: () => property },
    keyRing: () => ring,
    hmac: createHmac(),
    clock: systemClock,
    hasTestProperty: false,
    onFailure: () => {},
  };
  const kinds = { nothing: noUsage, counted: createUsage(1000, () => {}) };
  const made = Object.entries(kinds).map(([name, usage]) => {
    const load = createLoadMeter(1000);
    const issue = createIssuePuzzle({ ...common, usage, load, random: systemRandom });
    const guard: ReplayGuard = { claim: () => 'first' };
    const verify = createVerifySolution({
      ...common,
      usage,
      guard,
      hash: createBlake2b(),
      isInMaintenance: () => false,
    });
    return { name, issue, verify };
  });
  const ask = { sitekey: property.sitekey, origin: 'https://example.com', client: 1 };
  const times = { issue: new Map<string, number[]>(), verify: new Map<string, number[]>() };
  const note = (of: Map<string, number[]>, name: string, startedAt: number) => {
    const microseconds = (1000 * (performance.now() - startedAt)) / ROUND_SIZE;
    of.set(name, [...(of.get(name) ?? []), microseconds]);
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, issue, verify } of round % 2 === 0 ? made : made.toReversed()) {
      let at = performance.now();
      for (let i = 0; i < ROUND_SIZE; i++) void issue(ask);
      note(times.issue, name, at);
      at = performance.now();
      for (const payload of payloads) void verify({ payload, principal: owner, expectedSitekey: undefined });
      note(times.verify, name, at);
    }
  }
  for (const [what, of] of Object.entries(times)) {
    const [nothing, counted] = Object.keys(kinds).map((name) => median((of.get(name) ?? []).slice(4)));
    console.log(
      `${what} alone: ${nothing?.toFixed(2)} µs without, ${counted?.toFixed(2)} µs with statistics`,
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
  const gets = compare(without, counting, one);
  report('GET /puzzle, nothing counted', 'GET /puzzle, statistics', gets);

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
    `${PROPERTIES} properties, not counted`,
    `${PROPERTIES} properties, statistics`,
    compare(without, counting, many),
  );

  const most = Math.ceil(70_000 * SECONDS);
  const mints = await Promise.all(
    folders.map((folder, index) => {
      const property = prepared[index]?.properties[0] as Property;
      return createPayloadGenerator(folder, { ...property, level: 1, growth: 'constant' });
    }),
  );
  const payloads = join(root, 'payloads');
  const fresh = (target: Target): Load => {
    const mint = mints[target === without ? 0 : 1] as () => string;
    writeFileSync(payloads, Array.from({ length: most }, mint).join('\n'));
    return { path: '/verify', script: 'post.lua', env: { PAYLOADS: payloads, KEY: of(target).secret } };
  };
  report('POST /verify, nothing counted', 'POST /verify, statistics', compare(without, counting, fresh));
} finally {
  await Promise.all([without.end(), counting.end()]);
}
await measureStore(folders[1]);
rmSync(root, { recursive: true, force: true });

/** What the store takes by itself, an hour of every property after another. */
async function measureStore(dataDir: string): Promise<void> {
  const engine = createTestEngine();
  const services = await openTestServices(dataDir, engine);
  const { statistics } = services.stores;
  const { properties } = prepared[1] as (typeof prepared)[number];
  const file = join(dataDir, 'postern.sqlite');
  const checkpointed = () => {
    engine.raw().run('PRAGMA wal_checkpoint(TRUNCATE)');
    return statSync(file).size;
  };
  const now = Math.floor(Date.now() / 3_600_000);
  const before = checkpointed();
  const counts = new Uint32Array(COUNTS_SIZE);
  // As an hour of a site that is used: puzzles, acceptances, a refusal, eight buckets of solve times.
  for (const position of [0, 1, 3, 12, 56, 57, 58, 59, 60, 61, 62, 63]) counts[position] = 20;
  for (const round of ['first', 'again']) {
    const times: number[] = [];
    for (let i = 0; i < properties.length; i += 128) {
      const records = properties
        .slice(i, i + 128)
        .map(({ sitekey }) => ({ sitekey, hour: (now - 800) as Hour, counts }));
      const at = performance.now();
      await statistics.add(records);
      times.push(performance.now() - at);
    }
    tell(`128 records written, ${round}`, times);
  }
  console.log(
    `an hour of a property on the disk: ${((checkpointed() - before) / properties.length).toFixed(0)} bytes`,
  );
  const reads: number[] = [];
  const day = Math.floor(now / 24);
  for (const { id } of properties.slice(0, 500)) {
    const at = performance.now();
    await statistics.byDay(id, (day - 364) as never, (day + 1) as never);
    reads.push(performance.now() - at);
  }
  tell('a year read', reads);
  const moves: number[] = [];
  for (;;) {
    const at = performance.now();
    if ((await statistics.rollUp(now as Hour)) === 0) break;
    moves.push(performance.now() - at);
  }
  tell('256 hours turned into days', moves);
  await services.close();
}

function tell(what: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2);
  console.log(`${what}: p50 ${at(0.5)} ms, worst ${at(1)} ms (${sorted.length} times)`);
}

function expectDone<T>(outcome: { ok: true; value: T } | { ok: false; problem: string }): T {
  if (!outcome.ok) throw new Error(outcome.problem);
  return outcome.value;
}
