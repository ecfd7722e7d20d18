/**
 * `bun run bench:writers`: measures how much 64 concurrent management writes delay `GET /puzzle` on the compiled binary. Windows
 * without and with writers alternate; the result is the ratio of their p99. Asserts no times.
 *
 * Needs wrk (Debian package `wrk`). Environment: BENCH_WINDOWS (5), BENCH_SECONDS (2), BENCH_BINARY (dist/postern).
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale, install } from '../../build.ts';
import { INSTALLATION } from '../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../src/model/propertyFields.ts';
import { startBinary } from '../support/binary.ts';
import { expectOk } from '../support/server.ts';
import { openTestServices } from '../support/services.ts';
import { type Load, type Measurement, measure, median } from './client.ts';

const WINDOWS = Number(process.env.BENCH_WINDOWS ?? 5);
const WRITERS = 64;

/** Creates a property, and a user with a portal key and one organization per writer. */
async function prepare(dataDir: string) {
  const services = await openTestServices(dataDir);
  const user = { email: 'bench@example.com', name: undefined, isAdmin: true, password: undefined };
  const account = expectOk(await services.users.create(INSTALLATION, user));
  const ids: string[] = [];
  let sitekey = '';
  for (let i = 0; i < WRITERS; i++) {
    const { id } = expectOk(
      await services.organizations.create(INSTALLATION, { name: `Organization ${i}`, ownerId: account.id }),
    );
    ids.push(services.ids.seal('organization', id));
    if (i > 0) continue;
    const draft = { organizationId: id, name: 'Bench', domain: 'example.com' };
    ({ sitekey } = expectOk(
      await services.properties.create(INSTALLATION, { ...DEFAULT_SETTINGS, ...draft }),
    ));
  }
  const key = { account, name: 'Bench', scope: 'portal', isReadOnly: false, expiresAt: undefined } as const;
  const { secret } = expectOk(
    await services.apiKeys.create(INSTALLATION, { ...key, organizationId: undefined }),
  );
  await services.close();
  return { ids, sitekey, secret };
}

/** Starts a process that renames organizations without pauses. @returns a function that stops it and returns the number of 200 and 429 responses */
function startWriters(url: string, ids: readonly string[], secret: string) {
  const options = JSON.stringify({ url, ids, secret });
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'writersClient.ts'), options], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  return async (): Promise<{ readonly done: number; readonly limited: number }> => {
    child.kill('SIGTERM');
    const text = await new Response(child.stdout).text();
    return JSON.parse(text) as { done: number; limited: number };
  };
}

install();
const binary = process.env.BENCH_BINARY ?? buildIfStale();

for (const [name, settings] of [
  [
    'without a limit on the Platform API',
    { POSTERN_PORTAL_RATE: '1000000', POSTERN_PORTAL_BURST: '1000000' },
  ],
  ['with the default limit', {}],
] as const) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-writers-'));
  const { ids, sitekey, secret } = await prepare(dataDir);
  const ample = {
    POSTERN_PUZZLE_RATE: '10000000',
    POSTERN_PUZZLE_BURST: '100000000',
    POSTERN_DATA_DIR: dataDir,
  };
  const server = await startBinary(binary, { ...ample, POSTERN_VERIFY_RATE: '1000000', ...settings });
  const puzzle: Load = { path: `/puzzle?sitekey=${sitekey}`, script: 'get.lua' };
  const quiet: Measurement[] = [];
  const busy: Measurement[] = [];
  let renames = 0;
  let limited = 0;
  try {
    measure(server, puzzle);
    for (let i = 0; i < WINDOWS; i++) {
      quiet.push(measure(server, puzzle));
      const stop = startWriters(server.url, ids, secret);
      await Bun.sleep(300);
      busy.push(measure(server, puzzle));
      const ended = await stop();
      renames += ended.done;
      limited += ended.limited;
    }
  } finally {
    await server.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
  const of = (measurements: readonly Measurement[], key: 'p50' | 'p99' | 'rate') =>
    median(measurements.map((one) => one[key]));
  const ratios = quiet.map((one, i) => (busy[i]?.p99 ?? Number.NaN) / one.p99);
  console.log(`${WRITERS} writers ${name}: ${renames} renames, ${limited} responses with status 429`);
  for (const [title, measurements] of [
    ['quiet', quiet],
    ['with writers', busy],
  ] as const) {
    const [p50, p99, rate] = [of(measurements, 'p50'), of(measurements, 'p99'), of(measurements, 'rate')];
    console.log(
      `  ${title.padEnd(14)} ${rate.toFixed(0).padStart(7)}/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms`,
    );
  }
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(`  p99 with writers / quiet: ${median(ratios).toFixed(2)} (windows ${range})\n`);
}
