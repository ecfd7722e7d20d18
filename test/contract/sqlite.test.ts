import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quotas } from '../../src/model/plan.ts';
import { createSqliteStores } from '../../src/storage/sqlite/createStores.ts';
import { openLedger } from '../../src/storage/sqlite/ledger/ledger.ts';
import { openMain } from '../../src/storage/sqlite/open.ts';
import { openThreadedStores } from '../../src/storage/sqlite/writer/writer.ts';
import { rawSqlite } from '../support/rawDatabase.ts';
import { createThreadPool } from '../support/threadPool.ts';
import { checkInvalidation } from './checkInvalidation.ts';
import { describeLedgerClients } from './ledgerClients.ts';
import { describeRepeatedClaims } from './repeatedClaims.ts';
import { describeReplayLedger } from './replayLedger.ts';
import { describeStores } from './storeSuites.ts';
import { AMPLE, type World } from './world.ts';

const cleanUps: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-contract-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(quotas: Quotas = AMPLE): Promise<World> {
  const database = openMain(makeFolder());
  cleanUps.push(() => database.raw.close());
  return checkInvalidation(createSqliteStores(database, quotas), rawSqlite(database.raw));
}

const start = createThreadPool('writer');

/** Opens the stores in the same way as a server. A method that is listed as a read but writes fails on this connection. */
async function openThreaded(quotas: Quotas = AMPLE): Promise<World> {
  const dataDir = makeFolder();
  const database = openMain(dataDir);
  database.raw.run('PRAGMA query_only = ON');
  const { stores, close } = openThreadedStores(database, { dataDir, defaults: quotas, start });
  cleanUps.push(async () => {
    await close();
    database.raw.close();
  });
  return stores;
}

describeStores('SQLite', open);
describeStores('SQLite with a writer thread', openThreaded);

describeReplayLedger('SQLite, durable', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeLedgerClients('SQLite', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: (options) => openLedger({ file, durability: 'full', ...options }) };
});

describeRepeatedClaims('SQLite', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeReplayLedger('SQLite, normal', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'normal' }) };
});
