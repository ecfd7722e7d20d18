import { describe, expect } from 'bun:test';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { openTestServices } from '../support/services.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { addProperty, BINARY, HIGH_LIMITS, type PropertyAndKey, testInFolder } from './support.ts';

/** The statistics of a server that is stopped or killed. */

const SOLUTIONS = 5;

/** Verifies several solutions, the last one twice. */
async function verifySolutions(
  { url }: RunningBinary,
  { sitekey, verifyKey }: PropertyAndKey,
): Promise<void> {
  let payload = '';
  for (let i = 0; i < SOLUTIONS; i++) {
    payload = await fetchAndSolve(url, sitekey);
    expect((await verify(url, verifyKey, payload)).code).toBe(0);
  }
  expect((await verify(url, verifyKey, payload)).code).toBe(8);
}

/** The stored statistics of the property: issued, verified, and rejected because of a replay. */
async function readStatistics(dataDir: string): Promise<readonly number[]> {
  const services = await openTestServices(dataDir);
  try {
    const [property] = await services.stores.properties.list();
    const hour = Math.floor(Date.now() / 3_600_000);
    const found = await services.stores.statistics.byHour(
      { property: property?.id as never },
      (hour - 1) as never,
      (hour + 1) as never,
    );
    const sum = (position: number) => found.reduce((all, { counts }) => all + (counts[position] ?? 0), 0);
    return [sum(0), sum(1), sum(4 + 8)];
  } finally {
    await services.close();
  }
}

const ALL = [SOLUTIONS, SOLUTIONS, 1];

describe('statistics', () => {
  testInFolder('are written when SIGTERM stops the server', async (dataDir) => {
    const property = await addProperty(dataDir);
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
    await verifySolutions(server, property);
    expect(await server.end('SIGTERM')).toBe(0);
    expect(await readStatistics(dataDir)).toEqual(ALL);
    expect(server.output()).not.toContain('statistics-');
  });

  testInFolder(
    'are written every few seconds, so that SIGKILL loses only those of the last seconds',
    async (dataDir) => {
      const property = await addProperty(dataDir);
      const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
      await verifySolutions(server, property);
      const areWritten = async () => (await readStatistics(dataDir)).join() === ALL.join();
      await waitUntil('the statistics are written', areWritten);
      await verifySolutions(server, property);
      await server.kill();
      const [issued = 0, verified = 0] = await readStatistics(dataDir);
      // The first batch is stored exactly once; the second may or may not have been written in time.
      expect(issued).toBeWithin(SOLUTIONS, 2 * SOLUTIONS + 1);
      expect(verified).toBeWithin(SOLUTIONS, issued + 1);
      const again = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS });
      await verifySolutions(again, property);
      expect(await again.end('SIGTERM')).toBe(0);
      expect((await readStatistics(dataDir))[0]).toBe(issued + SOLUTIONS);
    },
  );
});
