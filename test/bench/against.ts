import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../build/build.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { openTestServices } from '../support/services.ts';
import { alternate, type Measurement, measure, type Pair } from './clients/wrk.ts';
import { BenchError, type Cleanup, outputOf } from './harness/cleanup.ts';
import { type BenchServer, hasThreads, threadSettings, type Windows } from './harness/lab.ts';
import { measureVerifications, puzzleLoad } from './harness/loads.ts';
import { busyShare, currentCommit, describeMachine } from './harness/machine.ts';
import { memoryOf } from './harness/memory.ts';
import type { Options } from './harness/options.ts';
import { createPayloadFile } from './harness/payloads.ts';
import { writeResults } from './harness/results.ts';
import { type Row, toRow } from './harness/row.ts';
import { formatTable } from './harness/table.ts';
import { start } from './installation.ts';
import { createPayloadGenerator } from './payloads.ts';

/** `bun run bench --against REF`: compares the working tree with a commit, in alternating windows. */

const ROOT = join(import.meta.dir, '../..');
const STARTS = 7;
/** Time without requests before the memory is read, in milliseconds. */
const IDLE_MS = 5000;

/** An executable of one of the two versions. */
type Version = {
  readonly id: 'before' | 'after';
  /** For messages. */
  readonly name: string;
  readonly binary: string;
  readonly hasThreads: boolean;
};

type Tools = { readonly cleanup: Cleanup; readonly progress: (text: string) => void };

const git = (...args: string[]) => Bun.spawnSync(['git', ...args], { cwd: ROOT });

/** @returns the id of a commit. @throws BenchError if there is no such commit */
function findCommit(ref: string): string {
  const found = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`);
  if (!found.success) throw new BenchError(`${ref} is not a commit, branch, or tag of this repository`);
  return found.stdout.toString().trim();
}

/** Builds a commit in a temporary worktree. @throws BenchError if it does not build */
async function buildCommit(ref: string, id: string, { cleanup, progress }: Tools): Promise<Version> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-commit-'));
  cleanup.defer(() => {
    git('worktree', 'remove', '--force', folder);
    rmSync(folder, { recursive: true, force: true });
    git('worktree', 'prune');
  });
  progress(`building ${ref} (${id.slice(0, 12)}) …`);
  await outputOf(['git', '-C', ROOT, 'worktree', 'add', '--detach', '--quiet', folder, id], cleanup);
  const settings = join(folder, 'src/settings.ts');
  try {
    // Earlier commits have it in the root.
    const script = ['build/build.ts', 'build.ts'].map((path) => join(folder, path)).find(existsSync);
    await outputOf([process.execPath, script ?? 'build.ts'], cleanup, { cwd: folder });
  } catch (cause) {
    throw new BenchError(`${ref} does not build. ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
  return {
    id: 'before',
    name: ref,
    binary: join(folder, 'dist/postern'),
    hasThreads: existsSync(settings) && readFileSync(settings, 'utf8').includes('POSTERN_THREADS'),
  };
}

type Prepared = { readonly template: string; readonly sitekey: string; readonly secret: string };

/** Creates a property and an API key with the executable of the commit, because a later version can read its data folder. */
async function prepareFolder(version: Version, folder: string, cleanup: Cleanup): Promise<Prepared> {
  const { binary, name } = version;
  const template = join(folder, 'template');
  const run = async <T>(...args: string[]): Promise<T> => {
    const command = [binary, ...args, '--json', '--data-dir', template];
    const output = await outputOf(command, cleanup, { env: { PATH: process.env.PATH ?? '' } });
    return JSON.parse(output) as T;
  };
  try {
    const email = 'bench@example.com';
    await run('users', 'create', '--email', email);
    const { id } = await run<{ id: string }>('orgs', 'create', '--user', email, '--name', 'Bench');
    const domain = ['--name', 'Bench', '--domain', 'example.com', '--no-dns-check'];
    const work = ['--level', '1', '--growth', 'constant', '--validity-seconds', '7200'];
    const { sitekey } = await run<{ sitekey: string }>(
      'properties',
      'create',
      '--org',
      id,
      ...domain,
      ...work,
    );
    const scope = ['--name', 'Bench', '--scope', 'verify'];
    const { key } = await run<{ key: string }>('keys', 'create', '--user', email, ...scope);
    // The first start creates the key that signs puzzles; without it, each copy of the folder would have its own.
    const server = await start(binary, template, threadSettings(1, version.hasThreads));
    cleanup.defer(server.kill);
    await server.end('SIGTERM');
    return { template, sitekey, secret: key };
  } catch (cause) {
    throw new BenchError(
      `${name} cannot create the data. ${cause instanceof Error ? cause.message : cause}`,
      {
        cause,
      },
    );
  }
}

/** @returns a generator of payloads that are valid in all copies of the folder. @throws BenchError if REF is newer */
async function createGenerator({ template, sitekey }: Prepared, folder: string): Promise<() => string> {
  const copy = join(folder, 'payloadData');
  cpSync(template, copy, { recursive: true });
  const services = await openTestServices(copy).catch((cause) => {
    throw new BenchError(`the working tree cannot read the data of the commit: ${cause}`, { cause });
  });
  const property = await services.stores.properties.bySitekey(sitekey as Sitekey);
  await services.close();
  if (property === undefined) throw new Error('the property is missing');
  return createPayloadGenerator(copy, { ...property, level: 1, growth: 'constant' });
}

/** Starts servers of one version. Its migrations have been applied before, so that no start includes them. */
async function createStarter(version: Version, prepared: Prepared, folder: string, cleanup: Cleanup) {
  const migrated = join(folder, version.id);
  cpSync(prepared.template, migrated, { recursive: true });
  const first = await start(version.binary, migrated, threadSettings(1, version.hasThreads));
  cleanup.defer(first.kill);
  await first.end('SIGTERM');
  let servers = 0;
  return async (threads: number): Promise<BenchServer> => {
    const dataDir = join(folder, `${version.id}${servers++}`);
    cpSync(migrated, dataDir, { recursive: true });
    const server = await start(version.binary, dataDir, threadSettings(threads, version.hasThreads));
    cleanup.defer(server.kill);
    const { sitekey, secret } = prepared;
    return { ...server, port: Number(new URL(server.url).port), dataDir, sitekey, secret, sent: 0 };
  };
}

/** The working tree relative to the commit. wrk reports no latencies for some windows, so their p50 is in no row. */
function rowsOf(ref: string, request: string, pairs: readonly Pair[]): Row[] {
  const rowOf = (what: string, unit: string, key: 'rate' | 'cpu' | 'p50') => {
    const measured = pairs.filter((pair) => [pair.server[key], pair.baseline[key]].every(Number.isFinite));
    return toRow({
      name: `${request}, ${what}`,
      unit,
      values: measured.map(({ server }) => server[key]),
      yardstick: { name: ref, values: measured.map(({ baseline }) => baseline[key]) },
    });
  };
  return [
    rowOf('rate', 'requests/s', 'rate'),
    rowOf('processor time', 'µs/request', 'cpu'),
    rowOf('p50', 'ms', 'p50'),
  ];
}

type Starter = Awaited<ReturnType<typeof createStarter>>;

/** Starters of the commit and of the working tree. */
type Starters = { readonly before: Starter; readonly after: Starter };

async function compareRequests(
  lab: Windows,
  ref: string,
  starters: Starters,
  threads: number,
): Promise<Row[]> {
  const [before, after] = [await starters.before(threads), await starters.after(threads)];
  const suffix = threads > 1 ? `, ${threads} request threads` : '';
  const compare = async (request: string, window: (server: BenchServer) => Promise<Measurement>) => {
    const pairs = await alternate(
      lab.duration.windows,
      () => window(before),
      () => window(after),
    );
    return rowsOf(ref, `${request}${suffix}`, pairs);
  };
  const otherOrigin = { script: 'otherOrigin.lua', expectsErrors: true };
  const rows = [
    ...(await compare('`GET /puzzle`', (server) => measure(server, puzzleLoad(lab, server)))),
    ...(await compare('`POST /verify`', (server) => measureVerifications(lab, server))),
    ...(await compare('`GET /puzzle`, page of another domain', (server) =>
      measure(server, { ...puzzleLoad(lab, server), ...otherOrigin }),
    )),
  ];
  // One of the two has just been under load; both collect their garbage in the meantime.
  await Bun.sleep(IDLE_MS);
  const memory = toRow({
    name: `resident memory ${IDLE_MS / 1000} s afterwards${suffix}`,
    unit: 'MB',
    values: [memoryOf(after.pid).rss],
    yardstick: { name: ref, values: [memoryOf(before.pid).rss] },
  });
  await Promise.all([before.kill(), after.kill()]);
  return [...rows, memory];
}

async function compareStarts({ duration }: Windows, ref: string, starters: Starters): Promise<Row> {
  const times = { before: [] as number[], after: [] as number[] };
  for (let i = 0; i < (duration.isQuick ? 1 : STARTS); i++) {
    for (const id of ['before', 'after'] as const) {
      const server = await starters[id](1);
      times[id].push(server.startMs);
      await server.kill();
    }
  }
  return toRow({
    name: 'start to the first 200 of `/readyz`',
    unit: 'ms',
    values: times.after,
    yardstick: { name: ref, values: times.before },
  });
}

/** Compares the working tree with a commit, and prints a table. @throws BenchError */
export async function compareWith(ref: string, { duration, json }: Options, tools: Tools): Promise<void> {
  const { cleanup, progress } = tools;
  const id = findCommit(ref);
  if (Bun.which('wrk') === null) throw new BenchError('wrk is not installed (Debian package wrk)');
  const old = await buildCommit(ref, id, tools);
  progress('building the working tree …');
  install();
  const now: Version = {
    id: 'after',
    name: 'the working tree',
    binary: buildIfStale(),
    hasThreads: hasThreads(),
  };
  const folder = mkdtempSync(join(tmpdir(), 'postern-bench-'));
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }));
  const prepared = await prepareFolder(old, folder, cleanup);
  const newPayload = await createGenerator(prepared, folder);
  const lab = { duration, payloads: createPayloadFile(join(folder, 'payloads'), newPayload) };
  const starterOf = (version: Version) => createStarter(version, prepared, folder, cleanup);
  const starters = { before: await starterOf(old), after: await starterOf(now) };
  progress('measuring …');
  const [startedAt, measuredAt] = [performance.now(), new Date().toISOString()];
  const busyBefore = await busyShare();
  const rows = [
    await compareStarts(lab, ref, starters),
    ...(await compareRequests(lab, ref, starters, 1)),
    ...(old.hasThreads && now.hasThreads ? await compareRequests(lab, ref, starters, 2) : []),
  ];
  console.log(formatTable([{ title: `The working tree compared with ${ref}`, rows }]));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const facts = { measuredAt, commit: currentCommit(), machine: describeMachine(), busyBefore, seconds };
  await writeResults(json, { format: 1, parts: [{ part: `against ${ref}`, ...facts, rows }] });
  progress(`wrote ${json}`);
}
