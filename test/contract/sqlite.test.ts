import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccountStore } from '../../src/store/sqlite/accounts.ts';
import { createApiKeyStore } from '../../src/store/sqlite/apiKeys.ts';
import { createInstallationStore } from '../../src/store/sqlite/installation.ts';
import { openLedger } from '../../src/store/sqlite/ledger.ts';
import { openMain } from '../../src/store/sqlite/open.ts';
import { createOrganizationStore } from '../../src/store/sqlite/organizations.ts';
import { createPropertyStore } from '../../src/store/sqlite/properties.ts';
import { createSigningKeyStore } from '../../src/store/sqlite/signingKeys.ts';
import { describeAccountStore } from './accounts.ts';
import { describeApiKeyStore } from './apiKeys.ts';
import { describeInstallationStore } from './installation.ts';
import { describeOrganizationStore } from './organizations.ts';
import { describePropertyStore } from './properties.ts';
import { describeReplayLedger } from './replayLedger.ts';
import { describeSigningKeyStore } from './signingKeys.ts';
import type { World } from './world.ts';

const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) cleanUp();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-contract-'));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(): World {
  const database = openMain(makeFolder());
  cleanUps.push(() => database.raw.close());
  return {
    accounts: createAccountStore(database),
    organizations: createOrganizationStore(database),
    properties: createPropertyStore(database),
    apiKeys: createApiKeyStore(database),
    signingKeys: createSigningKeyStore(database),
    installation: createInstallationStore(database),
  };
}

describeAccountStore('SQLite', open);
describeOrganizationStore('SQLite', open);
describePropertyStore('SQLite', open);
describeApiKeyStore('SQLite', open);
describeSigningKeyStore('SQLite', open);
describeInstallationStore('SQLite', open);

describeReplayLedger('SQLite, durable', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'full' }) };
});

describeReplayLedger('SQLite, normal', () => {
  const file = join(makeFolder(), 'claims.sqlite');
  return { open: () => openLedger({ file, durability: 'normal' }) };
});
