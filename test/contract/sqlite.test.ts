import { afterEach, expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '../../src/model/account.ts';
import type { Quotas } from '../../src/model/plan.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { mapMethods } from '../../src/storage/methods.ts';
import { createStores } from '../../src/storage/sqlite/createStores.ts';
import { openLedger } from '../../src/storage/sqlite/ledger/ledger.ts';
import { type MainDatabase, openMain } from '../../src/storage/sqlite/open.ts';
import { openThreadedStores, startWriterThread } from '../../src/storage/sqlite/writer/writer.ts';
import { createThreadPool } from '../support/threadPool.ts';
import { describeAccountStore } from './accounts.ts';
import { describeApiKeyStore } from './apiKeys.ts';
import { describeAuditStore } from './audit.ts';
import { describeAuditEntries } from './auditEntries.ts';
import { describeCredentialStore } from './credentials.ts';
import { describeExportStore } from './exports.ts';
import { describeInstallationStore } from './installation.ts';
import { describeInvitationStore } from './invitations.ts';
import { describeOrganizationStore } from './organizations.ts';
import { describePlanStore } from './plans.ts';
import { describePropertyStore } from './properties.ts';
import { describeRepeatedClaims } from './repeatedClaims.ts';
import { describeReplayLedger } from './replayLedger.ts';
import { describeSessionStore } from './sessions.ts';
import { describeSigningKeyStore } from './signingKeys.ts';
import { describeStatisticsStore } from './statistics.ts';
import { describeTaskStore } from './tasks.ts';
import { describeTwoFactorStore } from './twoFactor.ts';
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
  return checkInvalidation(createStores(database, quotas), database);
}

/** Checks that only writes of the kind `invalidate` change what servers cache. @see MethodKind */
function checkInvalidation(stores: World, { raw }: MainDatabase): World {
  const sitekeys = raw.query<{ sitekey: Sitekey }, []>('SELECT sitekey FROM properties');
  const keyHashes = raw.query<{ hash: string }, []>('SELECT key_hash AS hash FROM api_keys');
  async function cachedFor(accounts: readonly Account[]): Promise<object> {
    const properties = sitekeys.all().map(({ sitekey }) => stores.properties.bySitekey(sitekey));
    const principals = keyHashes.all().map(({ hash }) => stores.apiKeys.byKeyHash(hash));
    // What the principal of an API key would be, also for accounts without keys.
    const access = accounts.map(async ({ id }) => [
      (await stores.accounts.byId(id))?.disabledAt,
      (await stores.organizations.list(id)).map((organization) => organization.id),
    ]);
    const signingKeys = await stores.signingKeys.list();
    return { properties, principals, access: await Promise.all(access), signingKeys };
  }
  return mapMethods(stores, ({ store, name, kind, method }) =>
    kind !== 'write'
      ? method
      : async (...args) => {
          const accounts = await stores.accounts.list();
          const before = await cachedFor(accounts);
          const result = await method(...args);
          expect([store, name, await cachedFor(accounts)]).toEqual([store, name, before]);
          return result;
        },
  );
}

const start = createThreadPool(startWriterThread);

/** Opens the stores in the same way as a server. A method that is listed as a read but writes fails on this connection. */
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
  describeAuditEntries(engine, openWorld);
  describeInvitationStore(engine, openWorld);
  describeSessionStore(engine, openWorld);
  describeTwoFactorStore(engine, openWorld);
  describeCredentialStore(engine, openWorld);
  describeExportStore(engine, openWorld);
}

describeReplayLedger('SQLite, durable', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeRepeatedClaims('SQLite', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeReplayLedger('SQLite, normal', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'normal' }) };
});
