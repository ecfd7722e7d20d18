import { Database } from 'bun:sqlite';
import { drizzle } from 'drizzle-orm/bun-sqlite';
import { createHmac, sha256, sha256Hex } from '../../src/crypto.ts';
import { systemRandom } from '../../src/lib/ids.ts';
import type { Instant } from '../../src/lib/time.ts';
import { createAccounts } from '../../src/platform/accounts.ts';
import { createApiKeys } from '../../src/platform/apiKeys.ts';
import { createOrganizations } from '../../src/platform/organizations.ts';
import { createProperties } from '../../src/platform/properties.ts';
import { createSigningKeys } from '../../src/platform/signingKeys.ts';
import { createAccountStore } from '../../src/store/sqlite/accounts.ts';
import { createApiKeyStore } from '../../src/store/sqlite/apiKeys.ts';
import { createInstallationStore } from '../../src/store/sqlite/installation.ts';
import { migrate } from '../../src/store/sqlite/migrate.ts';
import { createOrganizationStore } from '../../src/store/sqlite/organizations.ts';
import { createPropertyStore } from '../../src/store/sqlite/properties.ts';
import { createSigningKeyStore } from '../../src/store/sqlite/signingKeys.ts';

/** The use cases on a database in memory, with the clock in hand. */
export function openBackOffice() {
  const raw = new Database(':memory:');
  raw.run('PRAGMA foreign_keys = ON');
  migrate(raw);
  const database = { raw, orm: drizzle(raw) };
  const time = { now: Date.UTC(2026, 0, 31) as Instant };
  const clock = () => time.now;
  const organizationStore = createOrganizationStore(database);
  const keyStore = createApiKeyStore(database);
  const signingStore = createSigningKeyStore(database);
  const back = { organizations: organizationStore, clock, random: systemRandom };
  return {
    time,
    raw,
    keyStore,
    signingStore,
    installation: createInstallationStore(database),
    accounts: createAccounts({ store: createAccountStore(database), clock }),
    organizations: createOrganizations({ store: organizationStore, clock }),
    properties: createProperties({ store: createPropertyStore(database), ...back }),
    apiKeys: createApiKeys({ store: keyStore, ...back, digest: sha256Hex }),
    signingKeys: createSigningKeys({ store: signingStore, clock, random: systemRandom, digest: sha256 }),
    derive: (purpose: string) =>
      createHmac()(new Uint8Array(32), new TextEncoder().encode(purpose)).slice(0, 32),
  };
}

export type BackOffice = ReturnType<typeof openBackOffice>;
