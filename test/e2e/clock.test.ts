import { describe, expect } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBinary } from '../support/binary.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

/** The library of Debian's package `faketime` changes the wall clock of a process, but not its timers. */
const LIBRARIES = ['x86_64', 'aarch64'].map((cpu) => `/usr/lib/${cpu}-linux-gnu/faketime/libfaketimeMT.so.1`);

const DAY_SECONDS = 86_400;
/** The second of the minute at which the tests start: shortly before `purge-claims` runs. */
const START_SECOND = 12;

/** @returns settings for a server with a wrong clock, and a function that sets its offset in seconds */
function createWrongClock(folder: string) {
  const file = join(folder, 'clock');
  const base = START_SECOND - (Math.floor(Date.now() / 1000) % 60);
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
  testInFolder(
    'never accepts a solution twice, and soon accepts new ones',
    async (folder) => {
      const dataDir = join(folder, 'data');
      const clock = createWrongClock(folder);
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
