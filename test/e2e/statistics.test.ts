import { describe, expect, test } from 'bun:test';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { waitUntil } from '../support/patience.ts';
import { openTestServices } from '../support/services.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { AMPLE, BINARY, makeSite, type Site, withFolder } from './support.ts';

/** What becomes of the statistics when a real server ends, one way or the other. */

const VISITS = 5;

/** Some visits, the last of which is presented twice. */
async function visit({ url }: RunningBinary, { sitekey, verifyKey }: Site): Promise<void> {
  let payload = '';
  for (let i = 0; i < VISITS; i++) {
    payload = await fetchAndSolve(url, sitekey);
    expect((await verify(url, verifyKey, payload)).code).toBe(0);
  }
  expect((await verify(url, verifyKey, payload)).code).toBe(8);
}

/** What is on the disk of the folder's property: issued, verified, refused because of a replay. */
async function keptIn(dataDir: string): Promise<readonly number[]> {
  const services = await openTestServices(dataDir);
  try {
    const [property] = await services.properties.list();
    const hour = Math.floor(Date.now() / 3_600_000);
    const found = await services.stores.statistics.byHour(
      property?.id,
      (hour - 1) as never,
      (hour + 1) as never,
    );
    const sum = (position: number) => found.reduce((all, { counts }) => all + (counts[position] ?? 0), 0);
    return [sum(0), sum(1), sum(4 + 8)];
  } finally {
    await services.close();
  }
}

const ALL = [VISITS, VISITS, 1];

describe('statistics', () => {
  test(
    'are written by a server that is ended by SIGTERM',
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir);
        const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        await visit(server, site);
        expect(await server.end('SIGTERM')).toBe(0);
        expect(await keptIn(dataDir)).toEqual(ALL);
        expect(server.output()).not.toContain('statistics-');
      }),
    120_000,
  );

  test(
    'are written every few seconds, so that SIGKILL loses no more than those',
    () =>
      withFolder(async (dataDir) => {
        const site = await makeSite(dataDir);
        const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        await visit(server, site);
        const areKept = async () => (await keptIn(dataDir)).join() === ALL.join();
        await waitUntil('the statistics are written', areKept);
        await visit(server, site);
        await server.kill();
        const [issued = 0, verified = 0] = await keptIn(dataDir);
        // What was written before is there once, whether or not the next write came in time.
        expect(issued).toBeWithin(VISITS, 2 * VISITS + 1);
        expect(verified).toBeWithin(VISITS, issued + 1);
        const again = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...AMPLE });
        await visit(again, site);
        expect(await again.end('SIGTERM')).toBe(0);
        expect((await keptIn(dataDir))[0]).toBe(issued + VISITS);
      }),
    120_000,
  );
});
