import { createHmac, sha256, sha256Hex } from './crypto.ts';
import { systemRandom } from './lib/ids.ts';
import { type Clock, DAY, HOUR, systemClock } from './lib/time.ts';
import type { RecordAudit } from './model/audit.ts';
import type { Quotas } from './model/plan.ts';
import { TEST_SITEKEY } from './model/property.ts';
import { type Access, createAccess } from './platform/access.ts';
import type { Accounts } from './platform/accounts.ts';
import { type ApiKeys, createApiKeys } from './platform/apiKeys.ts';
import { createFirstStart, type FirstStart, type Wanted } from './platform/bootstrap.ts';
import { createMaintenance, type Maintenance } from './platform/maintenance.ts';
import { createOpaqueIds, type OpaqueIds } from './platform/opaqueId.ts';
import { createOrganizations, type Organizations } from './platform/organizations.ts';
import { createPeople, type People } from './platform/people.ts';
import { createPlans, type Plans } from './platform/plans.ts';
import { createProperties, type Properties } from './platform/properties.ts';
import { createResolve, type Resolve } from './platform/resolve.ts';
import { createSigningKeys, type SigningKeys } from './platform/signingKeys.ts';
import { createTasks, type Tasks } from './platform/tasks.ts';
import { notifying } from './store/notifying.ts';
import { type Inspection, inspectMain } from './store/sqlite/inspect.ts';
import { type MainDatabase, openMain } from './store/sqlite/open.ts';
import { createStores } from './store/sqlite/stores.ts';

/** The back office on one data folder: what the commands work with, whether a server runs or not. */
export type Office = {
  readonly accounts: Accounts;
  readonly people: People;
  readonly organizations: Organizations;
  readonly properties: Properties;
  readonly apiKeys: ApiKeys;
  readonly plans: Plans;
  readonly tasks: Tasks;
  readonly signingKeys: SigningKeys;
  readonly maintenance: Maintenance;
  readonly access: Access;
  readonly ids: OpaqueIds;
  /** HMAC-SHA-256 of a purpose with a secret of this installation that the portal alone uses, 32 bytes. */
  readonly derivePortal: (purpose: string) => Uint8Array;
  readonly firstStart: (wanted: Wanted) => Promise<FirstStart>;
  readonly database: MainDatabase;
  readonly stores: Stores;
  /** Reads what the hot path reads, and may also write. @throws where the database cannot be read or written */
  readonly probe: (also: { readonly isWriting: boolean }) => Promise<void>;
  /** From now on told after every change that this process made; other processes' show in `PRAGMA data_version`. */
  readonly onWrite: (listener: () => void) => void;
  /** From now on told after every task that came through this process. */
  readonly onTask: (listener: () => void) => void;
  readonly close: () => void;
};

/** What a running server asks without a use case between. */
export type Stores = Pick<ReturnType<typeof createStores>, 'properties' | 'apiKeys' | 'tasks'>;

export type OfficeOptions = {
  readonly dataDir: string;
  /** Maintenance by configuration. */
  readonly maintenance: boolean;
  /** The default plan's quotas by configuration. */
  readonly planOrganizations: number;
  readonly planProperties: number;
  readonly sessionIdleHours: number;
  readonly sessionMaxDays: number;
  /** Where acts are noted down; nowhere unless given. */
  readonly audit?: RecordAudit;
  readonly clock?: Clock;
};

/** Looks at the database of a data folder without opening the office: nothing is made, migrated or written. */
export function inspectDatabase(dataDir: string): Inspection | undefined {
  return inspectMain(dataDir);
}

/** @returns how to ask the DNS for a domain, undefined where it is not to be asked */
export function createLookUp(options: {
  readonly dnsCheck: boolean;
  readonly dnsServers: readonly string[] | undefined;
  readonly dnsTimeoutMs: number;
}): Resolve | undefined {
  if (!options.dnsCheck) return undefined;
  return createResolve({ servers: options.dnsServers, timeoutMs: options.dnsTimeoutMs, timer });
}

function timer(milliseconds: number, run: () => void): () => void {
  const id = setTimeout(run, milliseconds);
  return () => clearTimeout(id);
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
  let writeListener = (): void => {};
  let taskListener = (): void => {};
  const told = () => writeListener();
  const plan: Quotas = { organizations: options.planOrganizations, properties: options.planProperties };
  const kept = createStores(database, plan);
  const organizationStore = notifying(
    kept.organizations,
    ['create', 'rename', 'remove', 'addMember', 'removeMember'],
    told,
  );
  const stores: Stores = {
    properties: notifying(kept.properties, ['create', 'purge'], told),
    apiKeys: notifying(kept.apiKeys, ['create', 'revoke', 'rotate'], told),
    tasks: notifying(kept.tasks, ['finish'], told),
  };

  const portalSecret = await kept.installation.secret('portal key', random(new Uint8Array(32)));
  const people = openPeople(kept, options, portalSecret);
  const { accounts } = people;
  const plans = createPlans({ store: kept.plans, accountStore: kept.accounts, accounts });
  const access = createAccess(organizationStore);
  const organizations = createOrganizations({ store: organizationStore, access, clock });
  const back = { organizations: organizationStore, access, clock, random };
  const properties = createProperties({ store: stores.properties, ...back });
  const taskStore = notifying(stores.tasks, ['enqueue'], () => taskListener());
  const tasks = createTasks({ store: taskStore, ...back });
  const apiKeys = createApiKeys({ store: stores.apiKeys, ...back, digest: sha256Hex });
  const signingStore = notifying(kept.signingKeys, ['add'], told);
  const signingKeys = createSigningKeys({ store: signingStore, clock, random, digest: sha256 });
  const maintenance = createMaintenance(kept.installation, options.maintenance);
  const ids = createOpaqueIds(await kept.installation.secret('id key', random(new Uint8Array(32))));
  const demoSecret = await kept.installation.secret('demo key', random(new Uint8Array(32)));
  const derive = (purpose: string) => hmacOf(demoSecret, purpose);
  const firstStart = createFirstStart({ accounts, organizations, properties, apiKeys, derive });

  return {
    accounts,
    people,
    organizations,
    properties,
    apiKeys,
    plans,
    tasks,
    signingKeys,
    maintenance,
    access,
    ids,
    derivePortal: (purpose) => hmacOf(portalSecret, purpose),
    firstStart,
    database,
    stores,
    async probe({ isWriting }) {
      if (isWriting) await kept.installation.probe();
      await stores.properties.bySitekey(TEST_SITEKEY);
      await stores.apiKeys.byKeyHash('');
    },
    onWrite: (next) => {
      writeListener = next;
    },
    onTask: (next) => {
      taskListener = next;
    },
    close: () => database.raw.close(),
  };
}

function openPeople(
  stores: ReturnType<typeof createStores>,
  options: OfficeOptions,
  portalSecret: Uint8Array,
): People {
  return createPeople({
    stores,
    limits: { idleMs: options.sessionIdleHours * HOUR, absoluteMs: options.sessionMaxDays * DAY },
    sealKey: hmacOf(portalSecret, 'seal'),
    audit: options.audit ?? (async () => {}),
    clock: options.clock ?? systemClock,
    random: systemRandom,
    digest: sha256Hex,
  });
}

function hmacOf(secret: Uint8Array, purpose: string): Uint8Array {
  return createHmac()(secret, new TextEncoder().encode(purpose)).slice(0, 32);
}
