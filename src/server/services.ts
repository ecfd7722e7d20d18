import { createMatchRules } from '../captcha/rules/matchRules.ts';
import { toRuling } from '../captcha/rules/rulings.ts';
import type { Config } from '../config.ts';
import { createGeoip, type Geoip } from '../geoip/geoip.ts';
import { closeOnFailure } from '../lib/closing.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import { type Clock, systemClock } from '../lib/time.ts';
import { TEST_SITEKEY } from '../model/property.ts';
import type { SystemFacts } from '../model/system.ts';
import { type ApiKeys, createApiKeys } from '../platform/apiKeys/apiKeys.ts';
import { createKeyUses, type KeyUses } from '../platform/apiKeys/keyUses.ts';
import { type Audit, createAudit } from '../platform/audit.ts';
import type { Authentication } from '../platform/authentication/authentication.ts';
import { createExports, type Exports } from '../platform/exports/exports.ts';
import {
  createFirstStart,
  type FirstStart,
  type FirstStartOptions,
} from '../platform/installation/firstStart.ts';
import { createMaintenance, type Maintenance } from '../platform/installation/maintenance.ts';
import { type CompleteRestore, createCompleteRestore } from '../platform/installation/restore.ts';
import { createSigningKeys, type SigningKeys } from '../platform/installation/signingKeys.ts';
import { createDescribeSystem, type DescribeSystem } from '../platform/installation/system.ts';
import { createOpaqueIds, type OpaqueIds } from '../platform/opaqueId.ts';
import { type Access, createAccess } from '../platform/organizations/access.ts';
import { createInvitations, type Invitations } from '../platform/organizations/invitations.ts';
import { createMembers, type Members } from '../platform/organizations/members.ts';
import { createOrganizations, type Organizations } from '../platform/organizations/organizations.ts';
import { type Busiest, createBusiest } from '../platform/properties/busiest.ts';
import { createProperties, type Properties } from '../platform/properties/properties.ts';
import { createPropertyTransfer, type PropertyTransfer } from '../platform/properties/propertyTransfer.ts';
import { createTasks, type Tasks } from '../platform/properties/tasks.ts';
import { createRules, type Rules } from '../platform/rules/rules.ts';
import { createPlans, type Plans } from '../platform/users/plans.ts';
import type { Users } from '../platform/users/users.ts';
import { waitForFinishing } from '../storage/finishingTasks.ts';
import { reportInvalidations } from '../storage/methods.ts';
import type { SharedState, Storage, StorageEngine, StorageOptions, Stores } from '../storage/storage.ts';
import { type AuthenticationOptions, createPortalAuthentication } from './authentication.ts';
import { KEY_USES_CAPACITY } from './capacities.ts';
import { createHmac, sha256, sha256Hex } from './crypto.ts';
import { type EngineSettings, selectEngine } from './storage.ts';
import { type OnUpgrade, upgrade } from './upgrade.ts';

/** Commands report the state of the GeoIP files themselves. */
const SILENT = { info() {}, error() {} };

/** The use cases on one data folder, for the server and for commands. */
export type Services = {
  readonly authentication: Authentication;
  readonly users: Users;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly audit: Audit;
  readonly keyUses: KeyUses;
  readonly organizations: Organizations;
  readonly properties: Properties;
  readonly busiest: Busiest;
  readonly apiKeys: ApiKeys;
  readonly plans: Plans;
  readonly rules: Rules;
  readonly geoip: Geoip;
  readonly exports: Exports;
  readonly tasks: Tasks;
  readonly propertyTransfer: PropertyTransfer;
  readonly signingKeys: SigningKeys;
  readonly maintenance: Maintenance;
  readonly completeRestore: CompleteRestore;
  readonly access: Access;
  readonly ids: OpaqueIds;
  /** 16 hexadecimal digits that identify the installation. They stay the same after a restore or a move. */
  readonly installationId: string;
  /** HMAC-SHA-256 of a purpose with a secret of this installation that only the portal uses, 32 bytes. */
  readonly derivePortal: (purpose: string) => Uint8Array;
  /** Creates the first user, its API keys, and the demo, as configured. */
  readonly firstStart: (options: FirstStartOptions) => Promise<FirstStart>;
  /** The stores that a server also uses directly. */
  readonly stores: Pick<
    Stores,
    | 'rules'
    | 'properties'
    | 'apiKeys'
    | 'installation'
    | 'tasks'
    | 'audit'
    | 'invitations'
    | 'statistics'
    | 'widgetBuilds'
    | 'overview'
  >;
  /** The state that the servers of the installation share, apart from the stores. */
  readonly shared: SharedState;
  readonly openLedger: Storage['openLedger'];
  readonly openCountExchange: Storage['openCountExchange'];
  /** @returns a function that describes the installation for administrators */
  readonly systemDescriber: (known: Pick<SystemFacts, 'version' | 'settings'>) => DescribeSystem;
  /** The database files, or the groups of tables, and their sizes. */
  readonly fileSizes: Storage['fileSizes'];
  readonly diskSpace: Storage['diskSpace'];
  /** When the newest backup was created; undefined if there is none. */
  readonly lastBackupAt: Stores['installation']['lastBackupAt'];
  /** Runs the queries of the hot path and, if `isWriting`, a write. @throws if the database cannot be read or written */
  readonly probe: (options: { readonly isWriting: boolean }) => Promise<void>;
  /** Registers a function that is called after every change that this process makes; see `changeVersion` for other processes. */
  readonly onWrite: (listener: () => void) => void;
  /** @see Storage */
  readonly nodes: Storage['nodes'];
  readonly databaseServers: Storage['servers'];
  /** @see Storage */
  readonly subscribe: Storage['subscribe'];
  /** @returns a number that changes when another process has written */
  readonly changeVersion: () => Promise<number>;
  /** Registers a function that is called after this process has submitted a task. */
  readonly onTask: (listener: () => void) => void;
  /** Waits for pending writes, then closes the storage. */
  readonly close: () => Promise<void>;
};

type LimitOptions = Pick<
  Config,
  | 'planOrganizations'
  | 'planProperties'
  | 'invitedPlan'
  | 'verifyRate'
  | 'verifyBurst'
  | 'portalRate'
  | 'portalBurst'
>;

export type ServicesOptions = Omit<StorageOptions, 'defaults'> &
  Pick<Config, 'maintenance'> &
  Partial<Pick<Config, 'geoipFiles'>> &
  EngineSettings &
  LimitOptions &
  AuthenticationOptions & {
    readonly clock?: Clock;
    /** Changes the stores before they are used, for example to measure their calls. */
    readonly wrapStores?: (stores: Stores) => Stores;
    /** Receives the events of the GeoIP files. */
    readonly eventLog?: Log;
    /** If set, a copy of the databases in the data folder is kept before they are migrated. */
    readonly onUpgrade?: OnUpgrade;
    /** Tests pass an engine whose threads they control. */
    readonly engine?: StorageEngine | undefined;
  };

/**
 * Opens the storage, creates it if it is missing, and migrates it.
 *
 * @throws if the storage cannot be used
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { engine = selectEngine(options), onUpgrade } = options;
  if (onUpgrade !== undefined) await upgrade(engine, options.dataDir, onUpgrade);
  const defaults = { organizations: options.planOrganizations, properties: options.planProperties };
  const storage = await engine.open({ ...options, defaults });
  return closeOnFailure(storage.close, () => createServices(storage, options));
}

/** Creates the services of a storage, which closes with them. */
async function createServices(storage: Storage, options: ServicesOptions): Promise<Services> {
  const { clock = systemClock } = options;
  const listeners = { write: () => {}, task: () => {} };
  const { wrapStores = (all) => all } = options;
  const stores = reportChanges(wrapStores(storage.stores), listeners);
  const secrets = await loadSecrets(stores);
  const audit = createAudit({
    store: stores.audit,
    accounts: stores.accounts,
    apiKeys: stores.apiKeys,
    organizations: stores.organizations,
    clock,
    onFailure: options.onAuditFailure,
  });
  const { shared } = storage;
  const geoip = createGeoip(options.geoipFiles ?? [], options.eventLog ?? SILENT);
  const useCases = createUseCases({ ...options, stores, shared, audit, clock, geoip, ...secrets });
  const { maintenance } = useCases;
  return {
    ...useCases,
    audit,
    geoip,
    ids: createOpaqueIds(secrets.idSecret),
    installationId: derive(secrets.idSecret, 'installation').toHex().slice(0, 16),
    derivePortal: secrets.derivePortal,
    firstStart: createFirstStart({ ...useCases, derive: secrets.deriveDemo }),
    stores,
    shared,
    openLedger: storage.openLedger,
    openCountExchange: storage.openCountExchange,
    systemDescriber: (known) =>
      createDescribeSystem({ ...known, measure: storage.measure, plans: stores.plans, maintenance, clock }),
    fileSizes: storage.fileSizes,
    diskSpace: storage.diskSpace,
    lastBackupAt: stores.installation.lastBackupAt,
    probe: ({ isWriting }) => probe(stores, isWriting),
    onWrite: (listener) => {
      listeners.write = listener;
    },
    nodes: storage.nodes,
    databaseServers: storage.servers,
    subscribe: storage.subscribe,
    changeVersion: stores.installation.changeVersion,
    onTask: (listener) => {
      listeners.task = listener;
    },
    close: storage.close,
  };
}

type UseCaseDeps = ServicesOptions & {
  readonly geoip: Geoip;
  readonly stores: Stores;
  readonly shared: SharedState;
  readonly audit: Audit;
  readonly clock: Clock;
  readonly derivePortal: (purpose: string) => Uint8Array;
};

function createUseCases(deps: UseCaseDeps) {
  const { stores, shared, audit, clock, derivePortal } = deps;
  const { organizations, invitations } = stores;
  const authentication = createPortalAuthentication({ stores, shared, derivePortal, audit, clock }, deps);
  const { users, prepareUser } = authentication;
  const access = createAccess(organizations);
  const common = {
    ...deps,
    entryFor: audit.entryFor,
    accountStore: stores.accounts,
    organizations,
    access,
    prepareUser,
    digest: sha256Hex,
    random: systemRandom,
  };
  const signingKeys = createSigningKeys({ ...common, store: stores.signingKeys, digest: sha256 });
  const tasks = createTasks({ ...common, store: stores.tasks });
  const properties = createProperties({ ...common, store: stores.properties });
  return {
    authentication,
    access,
    users,
    members: createMembers({ ...common, store: organizations }),
    invitations: createInvitations({ ...common, store: invitations }),
    organizations: createOrganizations({ ...common, store: organizations }),
    properties,
    busiest: createBusiest({ ...stores, clock }),
    rules: createRules({
      ...common,
      store: stores.rules,
      properties,
      engine: { match: createMatchRules(pacer), apply: toRuling },
      pacer,
    }),
    tasks,
    propertyTransfer: createPropertyTransfer({
      ...common,
      properties: stores.properties,
      taskStore: stores.tasks,
      tasks,
    }),
    apiKeys: createApiKeys({ ...common, store: stores.apiKeys, configured: toDefaultRates(deps) }),
    plans: createPlans({ ...common, store: stores.plans }),
    exports: createExports({ ...common, store: stores.exports }),
    keyUses: createKeyUses({ store: stores.apiKeys, clock, capacity: KEY_USES_CAPACITY }),
    signingKeys,
    completeRestore: createCompleteRestore({ ...common, store: stores.installation, signingKeys }),
    maintenance: createMaintenance({
      ...common,
      store: stores.installation,
      isAlwaysOn: deps.maintenance,
    }),
  };
}

/** The rates of API keys that have no rate of their own, by scope. */
function toDefaultRates({ verifyRate, verifyBurst, portalRate, portalBurst }: LimitOptions) {
  return {
    verify: { rate: verifyRate, burst: verifyBurst },
    portal: { rate: portalRate, burst: portalBurst },
  };
}

/** Returns stores that call a listener after each change that invalidates caches, and after each submitted task. */
function reportChanges(
  original: Stores,
  listeners: { readonly write: () => void; readonly task: () => void },
): Stores {
  const stores = reportInvalidations(original, () => listeners.write());
  const tasks = waitForFinishing(stores.tasks);
  return {
    ...stores,
    tasks: { ...tasks, enqueue: (...task) => tasks.enqueue(...task).finally(() => listeners.task()) },
  };
}

/** Loads the secrets of the installation. They are created at the first start. */
async function loadSecrets({ installation }: Stores) {
  const load = (name: string) => installation.secret(name, systemRandom(new Uint8Array(32)));
  const portalSecret = await load('portal key');
  const idSecret = await load('id key');
  const demoSecret = await load('demo key');
  return {
    idSecret,
    derivePortal: (purpose: string) => derive(portalSecret, purpose),
    deriveDemo: (purpose: string) => derive(demoSecret, purpose),
  };
}

/** HMAC-SHA-256 of a purpose, 32 bytes. */
function derive(secret: Uint8Array, purpose: string): Uint8Array {
  return createHmac()(secret, new TextEncoder().encode(purpose)).slice(0, 32);
}

async function probe(stores: Stores, isWriting: boolean): Promise<void> {
  if (isWriting) {
    await stores.installation.probe();
    await stores.installation.endProbe();
  }
  await stores.properties.bySitekey(TEST_SITEKEY);
  await stores.apiKeys.byKeyHash('');
}
