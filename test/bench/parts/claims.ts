import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { alternate } from '../clients/wrk.ts';
import type { BenchServer, Lab } from '../harness/lab.ts';
import { measureVerifications } from '../harness/loads.ts';
import { type Row, toRow } from '../harness/row.ts';
import type { Part } from './part.ts';

const CLAIMS = 1_000_000;
const QUICK_CLAIMS = 10_000;
/** Claims that are inserted before other tasks of this process get a turn. */
const CHUNK = 20_000;

async function run(lab: Lab): Promise<readonly Row[]> {
  const [empty, full] = [await lab.startServer(), await lab.startServer()];
  await fillClaims(full, lab.duration.isQuick ? QUICK_CLAIMS : CLAIMS);
  const pairs = await alternate(
    lab.duration.windows,
    () => measureVerifications(lab, empty),
    () => measureVerifications(lab, full),
  );
  const values = pairs.map(({ server }) => server.rate);
  const yardstick = { name: 'no claims', values: pairs.map(({ baseline }) => baseline.rate) };
  const target = { of: 'ratio', bound: 'at least', required: 0.91 } as const;
  return [
    toRow({ name: '`POST /verify`, 1,000,000 stored claims', unit: 'requests/s', values, yardstick, target }),
  ];
}

/** Adds random claims that expire within the next two hours. */
async function fillClaims({ dataDir }: BenchServer, count: number): Promise<void> {
  const claims = new Database(join(dataDir, 'claims.sqlite'));
  claims.run('PRAGMA busy_timeout = 5000');
  const now = Math.floor(Date.now() / 1000);
  const insert = claims.query('INSERT INTO claims VALUES (?, ?, 1)');
  const insertChunk = claims.transaction((from: number) => {
    for (let i = from; i < Math.min(from + CHUNK, count); i++)
      insert.run(now + (i % 7200), crypto.getRandomValues(new Uint8Array(8)));
  });
  for (let from = 0; from < count; from += CHUNK) {
    insertChunk(from);
    await Bun.sleep(0);
  }
  // Otherwise, the server would have to checkpoint these transactions first.
  claims.run('PRAGMA wal_checkpoint(TRUNCATE)');
  claims.close();
}

export const claims: Part = {
  name: 'claims',
  title: 'Verifying with many stored claims',
  method:
    'Two servers verify solutions in alternating windows: one with an empty claims file, and one with a million stored claims.',
  limitSeconds: 240,
  needs: ['wrk'],
  run,
};
