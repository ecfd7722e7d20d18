import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quotas } from '../../src/model/plan.ts';
import { openLedger } from '../../src/store/sqlite/ledger.ts';
import { openMain } from '../../src/store/sqlite/open.ts';
import { createStores } from '../../src/store/sqlite/stores.ts';
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

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) cleanUp();
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

describeAccountStore('SQLite', open);
describeOrganizationStore('SQLite', open);
describePropertyStore('SQLite', open);
describeApiKeyStore('SQLite', open);
describeSigningKeyStore('SQLite', open);
describeInstallationStore('SQLite', open);
describePlanStore('SQLite', open);
describeTaskStore('SQLite', open);
describeStatisticsStore('SQLite', open);
describeAuditStore('SQLite', open);
describeInvitationStore('SQLite', open);
describeSessionStore('SQLite', open);
describeSecondFactorStore('SQLite', open);
describeCredentialStore('SQLite', open);

describeReplayLedger('SQLite, durable', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeReplayLedger('SQLite, normal', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'normal' }) };
});
