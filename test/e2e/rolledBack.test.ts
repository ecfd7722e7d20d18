import { Database } from 'bun:sqlite';
import { describe, expect } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCounter } from '../../src/storage/installationRows.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, testInFolder } from './support.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 12);
const COUNTING_SERVER = join(import.meta.dir, '../support/countingServer.ts');
const [MAIN, CLAIMS] = ['postern.sqlite', 'claims.sqlite'];
const ALARM = /"event":"(?:claims-lost|data-rolled-back|data-mark-failed)"/;

type Place = PropertyAndKey & {
  readonly dataDir: string;
  readonly markDir: string;
  /** Starts a server with the mark. */
  readonly start: (settings?: Readonly<Record<string, string>>) => Promise<RunningBinary>;
};

/** Creates an installation with a folder for its mark. */
async function createPlace(folder: string): Promise<Place> {
  const [dataDir, markDir] = [join(folder, 'data'), join(folder, 'mark')];
  mkdirSync(markDir, { recursive: true });
  const property = await addProperty(dataDir);
  const settings = { POSTERN_DATA_DIR: dataDir, POSTERN_MARK_DIR: markDir, ...HIGH_LIMITS };
  const start: Place['start'] = (more) => startBinary(BINARY, { ...settings, ...more });
  return { ...property, dataDir, markDir, start };
}

const alarmsOf = ({ output }: Pick<RunningBinary, 'output'>) =>
  output()
    .split('\n')
    .filter((line) => ALARM.test(line))
    .map((line) => JSON.parse(line));

/** The counters of a folder that no server is using. */
function countersIn(dataDir: string) {
  const read = <T>(name: string, sql: string) => {
    const database = new Database(join(dataDir, name), { readonly: true });
    const row = database.query<T, []>(sql).get();
    database.close();
    return row;
  };
  const main = read<{ value: Uint8Array }>(
    MAIN,
    "SELECT value FROM installation WHERE name = 'data counter'",
  );
  return {
    main: decodeCounter(main?.value),
    ...(read<{ value: number; base: number }>(CLAIMS, 'SELECT value, base FROM data_counter') ?? {
      value: 0,
      base: 0,
    }),
  };
}

function markIn(markDir: string): number {
  // A mark that is being written has another name until it is complete.
  const [name, ...others] = readdirSync(markDir).filter((file) => file.endsWith('.json'));
  expect(others).toEqual([]);
  return name === undefined ? 0 : JSON.parse(readFileSync(join(markDir, name), 'utf8')).counter;
}

/** Verifies a new solution. @returns its payload */
async function spend({ url }: RunningBinary, { sitekey, verifyKey }: PropertyAndKey): Promise<string> {
  const payload = await fetchAndSolve(url, sitekey);
  expect((await verify(url, verifyKey, payload)).code).toBe(0);
  return payload;
}

/** Runs a server until it has written the mark of this run. @returns the payload that it verified */
async function run(place: Place): Promise<string> {
  const before = markIn(place.markDir);
  const server = await place.start();
  expect(alarmsOf(server)).toEqual([]);
  const payload = await spend(server, place);
  await waitUntil('the mark is written', () => markIn(place.markDir) > before);
  expect(await server.end('SIGTERM')).toBe(0);
  return payload;
}

describe('a server whose data was replaced with an older copy', () => {
  const whole = (from: string, to: string) => {
    rmSync(to, { recursive: true });
    cpSync(from, to, { recursive: true });
  };
  const only = (name: string) => (from: string, to: string) => cpSync(join(from, name), join(to, name));
  // With the first and the last copy, such a server used to accept the spent solution again.
  for (const [title, hasMark, runs, copy, alarm] of [
    ['an older claims.sqlite', false, 1, only(CLAIMS), { event: 'claims-lost' }],
    ['an older postern.sqlite', true, 1, only(MAIN), { event: 'data-rolled-back', files: MAIN }],
    // Without the mark, the first run after the copy still counts on top of the counter in the copy.
    ['a postern.sqlite of an earlier run', false, 2, only(MAIN), { event: 'data-rolled-back', files: MAIN }],
    ['an older folder', true, 1, whole, { event: 'data-rolled-back', files: `${MAIN} ${CLAIMS}` }],
  ] as const) {
    testInFolder(`rejects all earlier puzzles after ${title} was copied back`, async (folder) => {
      const place = await createPlace(folder);
      const copied = join(folder, 'copy');
      await run(place);
      cpSync(place.dataDir, copied, { recursive: true });
      const payloads: string[] = [];
      for (let i = 0; i < runs; i++) payloads.push(await run(place));
      copy(copied, place.dataDir);
      if (!hasMark) rmSync(join(place.markDir, readdirSync(place.markDir)[0] ?? ''));
      const server = await place.start();
      expect(alarmsOf(server)).toEqual([expect.objectContaining({ level: 'error', ...alarm })]);
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      const isRolledBack = Number(alarm.event === 'data-rolled-back');
      expect(metrics).toContain(`\npostern_data_rolled_back ${isRolledBack}\n`);
      expect(metrics).toContain(`\npostern_claims_lost ${1 - isRolledBack}\n`);
      for (const payload of payloads) {
        expect((await verify(server.url, place.verifyKey, payload)).code).toBe(5);
      }
      await spend(server, place);
      await server.kill();
      // The next start finds nothing.
      await run(place);
    });
  }

  testInFolder('does not detect an older folder without a mark', async (folder) => {
    const place = await createPlace(folder);
    const copied = join(folder, 'copy');
    await run(place);
    cpSync(place.dataDir, copied, { recursive: true });
    await run(place);
    rmSync(place.markDir, { recursive: true });
    mkdirSync(place.markDir);
    whole(copied, place.dataDir);
    const server = await place.start();
    expect(alarmsOf(server)).toEqual([]);
    await server.kill();
  });
});

/**
 * Runs a server that counts every few milliseconds and stores a claim, and kills it at a random moment.
 *
 * @param isStarting whether it may be killed before it is ready
 * @returns its log
 */
async function countUntilKilled(
  place: Place,
  isStarting: boolean,
  durability: 'full' | 'normal',
): Promise<string> {
  const child = Bun.spawn([process.execPath, COUNTING_SERVER, place.dataDir, place.markDir, durability], {
    env: { PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const log = new Response(child.stderr).text();
  const ready = child.stdout.getReader().read();
  // Random moments, not waits for an event.
  if (isStarting) await Promise.race([ready, Bun.sleep(150 + Math.random() * 250)]);
  const writing = isStarting
    ? undefined
    : spendUntilKilled(new TextDecoder().decode((await ready).value), place);
  await Bun.sleep(Math.random() * 60);
  child.kill('SIGKILL');
  await writing;
  return log;
}

async function spendUntilKilled(output: string, { sitekey, verifyKey }: Place): Promise<void> {
  const url = output.trim();
  expect(url).toStartWith('http');
  try {
    for (;;) await verify(url, verifyKey, await fetchAndSolve(url, sitekey));
  } catch {
    // The server was killed.
  }
}

describe('no false alarm', () => {
  testInFolder(
    `after ${ROUNDS} kills of two servers at random moments, while they start, count, and store claims`,
    async (folder) => {
      const place = await createPlace(folder);
      await run(place);
      const logs: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const isStarting = round % 3 === 0;
        const servers = (['full', 'normal'] as const).map((each) =>
          countUntilKilled(place, isStarting, each),
        );
        logs.push(...(await Promise.all(servers)));
        for (const name of readdirSync(place.markDir).filter((each) => each.endsWith('.json')))
          JSON.parse(readFileSync(join(place.markDir, name), 'utf8'));
      }
      // A busy machine can also make a call of the main database slow.
      expect(logs.join('').match(/"event":"(?!store-call-slow)[^"]+"/g) ?? []).toEqual([]);
      const server = await place.start();
      expect(alarmsOf(server)).toEqual([]);
      await server.end('SIGTERM');
      const { main, value, base } = countersIn(place.dataDir);
      expect(base).toBeLessThan(main);
      expect(main).toBe(value);
    },
    300_000,
  );

  testInFolder('with two servers on one folder that start and end at different times', async (folder) => {
    const place = await createPlace(folder);
    const first = await place.start();
    const second = await place.start();
    await spend(first, place);
    await second.kill();
    const third = await place.start();
    await spend(third, place);
    expect(await first.end('SIGTERM')).toBe(0);
    const fourth = await place.start();
    for (const server of [first, second, third, fourth]) expect(alarmsOf(server)).toEqual([]);
    await third.end('SIGTERM');
    await fourth.end('SIGTERM');
    const { main, value } = countersIn(place.dataDir);
    expect(main).toBe(value);
  });

  // A server used to take the file that another one was opening for a file whose write-ahead log was lost.
  testInFolder('when several servers start at the same time, also for the first time', async (folder) => {
    for (let round = 0; round < 5; round++) {
      const place = await createPlace(join(folder, String(round)));
      for (const isFirst of [true, false]) {
        const servers = await Promise.all([place.start(), place.start(), place.start()]);
        expect([round, isFirst, servers.flatMap(alarmsOf)]).toEqual([round, isFirst, []]);
        await spend(servers[0], place);
        await Promise.all(servers.map((server) => server.end('SIGTERM')));
      }
    }
  });

  testInFolder('after a backup was restored, also into a new folder with an old mark', async (folder) => {
    const place = await createPlace(folder);
    await run(place);
    const backup = join(folder, 'backup.tar');
    const postern = (...args: readonly string[]) => {
      const env = { POSTERN_DATA_DIR: place.dataDir };
      expect(Bun.spawnSync([BINARY, ...args], { env }).exitCode).toBe(0);
    };
    postern('backup', backup);
    const spent = await run(place);
    for (const isNew of [false, true]) {
      if (isNew) rmSync(place.dataDir, { recursive: true });
      postern('restore', backup, ...(isNew ? [] : ['--force']));
      const server = await place.start();
      expect(alarmsOf(server)).toEqual([]);
      expect((await verify(server.url, place.verifyKey, spent)).success).toBe(false);
      await server.end('SIGTERM');
    }
  });

  testInFolder('if the mark belongs to another installation, or cannot be used', async (folder) => {
    const place = await createPlace(folder);
    await run(place);
    const [name = ''] = readdirSync(place.markDir);
    const file = join(place.markDir, name);
    writeFileSync(file, JSON.stringify({ installation: '0'.repeat(16), counter: 8e15 }));
    const server = await place.start();
    // The setting was given explicitly, so the server reports the file once.
    expect(alarmsOf(server)).toMatchObject([{ level: 'warn', event: 'data-mark-failed', file }]);
    await waitUntil('the mark is replaced', () => markIn(place.markDir) < 8e15);
    await server.end('SIGTERM');
    for (const settings of [
      { POSTERN_MARK_DIR: join(folder, 'missing') },
      { POSTERN_MARK_DIR: join(folder, 'missing'), POSTERN_LOG: 'error' },
    ]) {
      const other = await place.start(settings);
      await spend(other, place);
      await other.end('SIGTERM');
      expect(alarmsOf(other).length).toBe('POSTERN_LOG' in settings ? 0 : 1);
    }
    expect(existsSync(join(folder, 'missing'))).toBe(false);
  });
});

testInFolder(
  'by default, the mark is in the cache folder of systemd, whose failure is not reported',
  async (folder) => {
    const { dataDir, sitekey, verifyKey } = await createPlace(folder);
    const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS };
    const cache = join(folder, 'cache');
    mkdirSync(cache);
    const server = await startBinary(BINARY, { ...settings, CACHE_DIRECTORY: `${cache}:/nonexistent` });
    await waitUntil('the mark is written', () => markIn(cache) > 0);
    await spend(server, { sitekey, verifyKey });
    await server.end('SIGTERM');
    const other = await startBinary(BINARY, { ...settings, CACHE_DIRECTORY: join(folder, 'missing') });
    await other.end('SIGTERM');
    expect(alarmsOf(other)).toEqual([]);
  },
);
