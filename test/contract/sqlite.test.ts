import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quotas } from '../../src/model/plan.ts';
import { openLedger } from '../../src/storage/sqlite/ledger.ts';
import { openMain } from '../../src/storage/sqlite/open.ts';
import { createStores } from '../../src/storage/sqlite/stores.ts';
import { openThreadedStores, startWriterThread } from '../../src/storage/sqlite/writer.ts';
import { createThreadPool } from '../support/threads.ts';
import { describeAccountStore } from './accounts.ts';
import { describeApiKeyStore } from './apiKeys.ts';
import { describeAuditStore } from './audit.ts';
import { describeCredentialStore } from './credentials.ts';
import { describeInstallationStore } from './installation.ts';
import { describeInvitationStore } from './invitations.ts';
import { describeOrganizationStore } from './organizations.ts';
import { describePlanStore } from './plans.ts';
import { describePropertyStore } from './properties.ts';
import { describeReplayLedger } from './replayLedger.ts';
import { describeSecondFactorStore } from './secondFactors.ts';
import { describeSessionStore } from './sessions.ts';
import { describeSigningKeyStore } from './signingKeys.ts';
import { describeStatisticsStore } from './statistics.ts';
import { describeTaskStore } from './tasks.ts';
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

function open(quotas: Quotas = AMPLE): World {
  const database = openMain(makeFolder());
  cleanUps.push(() => database.raw.close());
  return createStores(database, quotas);
}

const start = createThreadPool(startWriterThread);

/** As a server opens it. A read that writes, or a write that is listed as a read, fails on this connection. */
function openThreaded(quotas: Quotas = AMPLE): World {
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

const ENGINES = [
  ['SQLite', open],
  ['SQLite with a writer thread', openThreaded],
] as const;

for (const [engine, openWorld] of ENGINES) {
  describeAccountStore(engine, openWorld);
  describeOrganizationStore(engine, openWorld);
  describePropertyStore(engine, openWorld);
  describeApiKeyStore(engine, openWorld);
  describeSigningKeyStore(engine, openWorld);
  describeInstallationStore(engine, openWorld);
  describePlanStore(engine, openWorld);
  describeTaskStore(engine, openWorld);
  describeStatisticsStore(engine, openWorld);
  describeAuditStore(engine, openWorld);
  describeInvitationStore(engine, openWorld);
  describeSessionStore(engine, openWorld);
  describeSecondFactorStore(engine, openWorld);
  describeCredentialStore(engine, openWorld);
}

describeReplayLedger('SQLite, durable', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeReplayLedger('SQLite, normal', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'normal' }) };
});
