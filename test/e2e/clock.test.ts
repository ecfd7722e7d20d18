import { describe, expect } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { migratedDatabase, sharedPostgres } from '../support/sharedPostgres.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, postern, testInFolderConcurrently } from './support.ts';

/** The library of Debian's package `faketime` changes the wall clock of a process, but not its timers. */
const LIBRARIES = ['x86_64', 'aarch64'].map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`);

const DAY_SECONDS = 86_400;

/** @returns the seconds until the clock shows this second of a period */
const secondsUntil = (second: number, period: number) =>
  (((second - Math.floor(Date.now() / 1000)) % period) + period) % period;

/** @returns settings for a server with a wrong clock, and a function that sets its offset in seconds, to which `base` is added */
function createWrongClock(folder: string, base = 0) {
  const file = join(folder, 'clock');
  const set = (offset: number) => writeFileSync(file, `${base + offset < 0 ? '' : '+'}${base + offset}\n`);
  set(0);
  const settings = {
    LD_PRELOAD: LIBRARIES.find(existsSync) ?? 'faketime is not installed',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { settings, set };
}

describe('a server whose clock jumps a day forward, and then two days back', () => {
  // The purge on the wrong day deleted claims of puzzles that were valid again afterward, so they were accepted a second time.
  testInFolderConcurrently(
    'never accepts a solution twice, and soon accepts new ones',
    async (folder) => {
      const dataDir = join(folder, 'data');
      // Shortly before `purge-claims` runs.
      const clock = createWrongClock(folder, secondsUntil(12, 60));
      const property = await addProperty(dataDir, '--validity-seconds', '7200');
      const settings = { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS, ...clock.settings };
      let server = await startBinary(BINARY, settings);
      const check = (payload: string, headers = {}) =>
        verify(server.url, property.verifyKey, payload, headers);
      const solved = () => fetchAndSolve(server.url, property.sitekey);
      const countOf = (text: string) => server.output().split(text).length - 1;
      const awaitNew = () =>
        waitUntil('new solutions are accepted', async () => (await check(await solved())).code === 0);

      const [spent, unspent] = [await solved(), await solved()];
      expect((await check(spent)).code).toBe(0);
      clock.set(DAY_SECONDS);
      await awaitNew();
      await waitUntil('the claims are purged', () => countOf('"job":"purge-claims"') > 0);
      expect((await check(unspent)).code).toBe(5);

      for (const offset of [0, -DAY_SECONDS]) {
        const before = countOf('"clock-set-back"');
        clock.set(offset);
        await waitUntil('the server notices it', () => countOf('"clock-set-back"') > before);
        await awaitNew();
        expect((await check(spent)).success).toBe(false);
        // The server cannot know that this one was never verified.
        expect((await check(unspent)).code).toBe(5);
      }
      expect(countOf('"clock-set-back"')).toBe(2);

      await server.kill();
      server = await startBinary(BINARY, settings);
      expect([(await check(spent)).code, (await check(unspent)).code]).toEqual([5, 5]);
      const fresh = await solved();
      expect([(await check(fresh)).code, (await check(fresh)).code]).toEqual([0, 8]);
      expect(countOf('"clock-set-back"')).toBe(0);
      expect(countOf('"level":"error"')).toBe(0);
    },
    300_000,
  );
});

describe('a server whose clock is 400 days ahead for a while', () => {
  // Every entry looked older than the retention period, so the job deleted the whole audit log.
  testInFolderConcurrently(
    'keeps its audit log',
    async (folder) => {
      const dataDir = join(folder, 'data');
      const clock = createWrongClock(folder);
      await addProperty(dataDir);
      const audit = () => postern<readonly unknown[]>(dataDir, 'audit', 'list');
      const before = await audit();
      expect(before.length).toBeGreaterThan(0);
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...clock.settings });
      clock.set(400 * DAY_SECONDS);
      await waitUntil('a job needs the clock', () =>
        /"clock-unconfirmed"|"job":"purge-audit"/.test(server.output()),
      );
      // Jobs notice within 30 seconds that the clock was set, and `confirm-clock` runs 39 seconds later.
      clock.set(secondsUntil(580, 600));
      expect(await audit()).toEqual(before);
      await waitUntil('the clock is confirmed', () => server.output().includes('"clock-confirmed"'));
      expect(await audit()).toEqual(before);
      expect(server.output().split('"clock-unconfirmed"')).toHaveLength(2);
    },
    300_000,
  );
});

describe('a node whose clock is three hours ahead of the other nodes', () => {
  const statusOf = async ({ url }: RunningBinary) => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, ((await response.json()) as { problems: readonly string[] }).problems];
  };
  const READY = [200, []];

  // All puzzles of the other nodes got code 5 on it, and /readyz returned 200.
  testInFolderConcurrently(
    'is not ready until its clock is correct, and the other nodes stay ready',
    async (folder) => {
      const address = await migratedDatabase();
      const clock = createWrongClock(folder);
      const settings = {
        POSTERN_DATABASE_URL: address.url,
        POSTERN_DATA_DIR: join(folder, 'data'),
        ...HIGH_LIMITS,
      };
      const others = [await startBinary(BINARY, settings), await startBinary(BINARY, settings)];
      const wrong = await startBinary(BINARY, { ...settings, ...clock.settings });
      clock.set(3 * 3600);
      await waitUntil('it notices', async () => (await statusOf(wrong))[0] === 503);
      expect(await statusOf(wrong)).toEqual([503, ['clock-wrong']]);
      const metrics = await (await fetch(`${wrong.url}/metrics`)).text();
      const offset = Number(/^postern_clock_offset_seconds (\S+)$/m.exec(metrics)?.[1]);
      expect(Math.round(offset / 60)).toBe(180);
      expect(await Promise.all(others.map(statusOf))).toEqual([READY, READY]);
      clock.set(0);
      await waitUntil('it is ready', async () => (await statusOf(wrong))[0] === 200);
      expect(await Promise.all(others.map(statusOf))).toEqual([READY, READY]);
      for (const event of ['clock-differs', 'clock-wrong', 'clock-accepted', 'clock-agrees']) {
        expect([event, wrong.output().split(`"${event}"`).length - 1]).toEqual([event, 1]);
        for (const other of others) expect(other.output()).not.toContain(`"${event}"`);
      }
      for (const node of [...others, wrong]) await node.kill();
      await (await sharedPostgres()).dropDatabase(address);
    },
    300_000,
  );
});
