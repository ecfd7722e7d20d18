import { createHmac, sha256, sha256Hex } from './crypto.ts';
import { systemRandom } from './lib/ids.ts';
import { type Clock, systemClock } from './lib/time.ts';
import { TEST_SITEKEY } from './model/property.ts';
import { type Accounts, createAccounts } from './platform/accounts.ts';
import { type ApiKeys, createApiKeys } from './platform/apiKeys.ts';
import { createFirstStart, type FirstStart, type Wanted } from './platform/bootstrap.ts';
import { createMaintenance, type Maintenance } from './platform/maintenance.ts';
import { createOpaqueIds, type OpaqueIds } from './platform/opaqueId.ts';
import { createOrganizations, type Organizations } from './platform/organizations.ts';
import { createProperties, type Properties } from './platform/properties.ts';
import { createSigningKeys, type SigningKeys } from './platform/signingKeys.ts';
import { notifying } from './store/notifying.ts';
import { createAccountStore } from './store/sqlite/accounts.ts';
import { createApiKeyStore } from './store/sqlite/apiKeys.ts';
import { type Inspection, inspectMain } from './store/sqlite/inspect.ts';
import { createInstallationStore } from './store/sqlite/installation.ts';
import { type MainDatabase, openMain } from './store/sqlite/open.ts';
import { createOrganizationStore } from './store/sqlite/organizations.ts';
import { createPropertyStore } from './store/sqlite/properties.ts';
import { createSigningKeyStore } from './store/sqlite/signingKeys.ts';

/** The back office on one data folder: what the commands work with, whether a server runs or not. */
export type Office = {
  readonly accounts: Accounts;
  readonly organizations: Organizations;
  readonly properties: Properties;
  readonly apiKeys: ApiKeys;
  readonly signingKeys: SigningKeys;
  readonly maintenance: Maintenance;
  readonly ids: OpaqueIds;
  readonly firstStart: (wanted: Wanted) => Promise<FirstStart>;
  readonly database: MainDatabase;
  readonly stores: Stores;
  /** Reads what the hot path reads. @throws where the database cannot be read */
  readonly probe: () => Promise<void>;
  /** From now on told after every change that this process made; other processes' show in `PRAGMA data_version`. */
  readonly onWrite: (listener: () => void) => void;
  readonly close: () => void;
};

export type Stores = {
  readonly properties: ReturnType<typeof createPropertyStore>;
  readonly apiKeys: ReturnType<typeof createApiKeyStore>;
};

export type OfficeOptions = {
  readonly dataDir: string;
  /** Maintenance by configuration. */
  readonly maintenance: boolean;
  readonly clock?: Clock;
};

/** Looks at the database of a data folder without opening the office: nothing is made, migrated or written. */
export function inspectDatabase(dataDir: string): Inspection | undefined {
  return inspectMain(dataDir);
}

/**
 * Opens the data folder, which is made where it is missing, and migrates its database.
 *
 * @throws where the folder or its database cannot be used
 */
export async function openOffice(options: OfficeOptions): Promise<Office> {
  const clock = options.clock ?? systemClock;
  const random = systemRandom;
  const database = openMain(options.dataDir);
  const installation = createInstallationStore(database);
  let listener = (): void => {};
  const told = () => listener();
  const organizationStore = notifying(
    createOrganizationStore(database),
    ['create', 'addMember', 'removeMember'],
    told,
  );
  const stores: Stores = {
    properties: notifying(createPropertyStore(database), ['create'], told),
    apiKeys: notifying(createApiKeyStore(database), ['create', 'revoke', 'rotate'], told),
  };

  const accounts = createAccounts({ store: createAccountStore(database), clock });
  const organizations = createOrganizations({ store: organizationStore, clock });
  const back = { organizations: organizationStore, clock, random };
  const properties = createProperties({ store: stores.properties, ...back });
  const apiKeys = createApiKeys({ store: stores.apiKeys, ...back, digest: sha256Hex });
  const signingStore = notifying(createSigningKeyStore(database), ['add'], told);
  const signingKeys = createSigningKeys({ store: signingStore, clock, random, digest: sha256 });
  const maintenance = createMaintenance(installation, options.maintenance);
  const ids = createOpaqueIds(await installation.secret('id key', random(new Uint8Array(32))));
  const demoSecret = await installation.secret('demo key', random(new Uint8Array(32)));
  const derive = (purpose: string) =>
    createHmac()(demoSecret, new TextEncoder().encode(purpose)).slice(0, 32);
  const firstStart = createFirstStart({ accounts, organizations, properties, apiKeys, derive });

  return {
    accounts,
    organizations,
    properties,
    apiKeys,
    signingKeys,
    maintenance,
    ids,
    firstStart,
    database,
    stores,
    async probe() {
      await stores.properties.bySitekey(TEST_SITEKEY);
      await stores.apiKeys.byKeyHash('');
    },
    onWrite: (next) => {
      listener = next;
    },
    close: () => database.raw.close(),
  };
}
