/**
 * `bun run soak:cluster`: three nodes on one PostgreSQL server under full load. In each of KILL_ROUNDS rounds (100 by default), each node
 * is killed with SIGKILL at a random moment. Then every payload is presented to every node again. Exits with code 1 if one was
 * accepted twice or was lost. Uses only the loopback interface.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresEngine } from '../../src/storage/postgres/engine.ts';
import { prepare } from '../bench/installation.ts';
import { BINARY, HIGH_LIMITS } from '../e2e/support.ts';
import { locationOf } from '../storage/postgres/ledgers.ts';
import { killNodes } from '../support/killedNodes.ts';
import { startPostgres } from '../support/postgres.ts';

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 100);

const dataDir = mkdtempSync(join(tmpdir(), 'postern-soak-'));
const server = await startPostgres({ isDurable: true });
const { url } = await server.createDatabase();
const { secret, newPayload } = await prepare(dataDir, createPostgresEngine(locationOf(url)));
const startedAt = performance.now();
const report = await killNodes({
  command: BINARY,
  settings: { POSTERN_DATABASE_URL: url, POSTERN_DATA_DIR: dataDir, ...HIGH_LIMITS },
  verifyKey: secret,
  nextPayload: newPayload,
  rounds: ROUNDS,
  onRound(round, { kills, accepted, unknown, acceptedTwice, lost }) {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `round ${round + 1}, ${seconds} s: ${kills} kills, ${accepted} accepted, ${unknown} without a result, ${acceptedTwice} accepted twice, ${lost} lost`,
    );
  },
});
await server.remove();
rmSync(dataDir, { recursive: true, force: true });
process.exitCode = report.acceptedTwice === 0 && report.lost === 0 ? 0 : 1;
