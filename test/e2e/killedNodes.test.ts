import { afterAll, beforeAll, expect } from 'bun:test';
import { createPostgresEngine } from '../../src/storage/postgres/engine.ts';
import { prepare } from '../bench/installation.ts';
import { locationOf } from '../storage/postgres/ledgers.ts';
import { killNodes } from '../support/killedNodes.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { BINARY, HIGH_LIMITS, testInFolder } from './support.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ isDurable: true });
}, 120_000);
afterAll(async () => await server.remove());

testInFolder(
  `three nodes on one database, each killed in ${ROUNDS} rounds under load, never accept a solution twice and lose none`,
  async (folder) => {
    const { url } = await server.createDatabase();
    const { secret, newPayload } = await prepare(folder, createPostgresEngine(locationOf(url)));
    const report = await killNodes({
      command: BINARY,
      settings: { POSTERN_DATABASE_URL: url, POSTERN_DATA_DIR: folder, ...HIGH_LIMITS },
      verifyKey: secret,
      nextPayload: newPayload,
      rounds: ROUNDS,
    });
    expect(report).toMatchObject({ kills: 3 * ROUNDS, acceptedTwice: 0, lost: 0 });
    // Otherwise, the test proves nothing.
    expect(report.accepted).toBeGreaterThanOrEqual(20 * ROUNDS);
  },
  600_000,
);
