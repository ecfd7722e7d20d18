import { createMatchRules, toRuling } from '../captcha/rules/rulings.ts';
import { readCommonPasswords } from '../commonPasswords.ts';
import type { Config } from '../config.ts';
import { createGeoip, type Geoip } from '../geoip/geoip.ts';
import { closeOnFailure } from '../lib/closing.ts';
import { systemRandom } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import { signatureOf } from '../lib/signatures.ts';
import { type Clock, DAY, HOUR, systemClock } from '../lib/time.ts';
import { TEST_SITEKEY } from '../model/property.ts';
import type { SystemFacts } from '../model/system.ts';
import { createApiKeys } from '../platform/apiKeys/apiKeys.ts';
import { createKeyUses } from '../platform/apiKeys/keyUses.ts';
import { createAttackMode } from '../platform/attackMode.ts';
import { type Audit, createAudit } from '../platform/audit.ts';
import { createAuthentication } from '../platform/authentication/authentication.ts';
import type { Argon2 } from '../platform/authentication/passwords.ts';
import { createExports } from '../platform/exports/exports.ts';
import { createFirstStart } from '../platform/installation/firstStart.ts';
import { createDescribeSystem, createMaintenance } from '../platform/installation/maintenance.ts';
import { createCompleteRestore, createSigningKeys } from '../platform/installation/signingKeys.ts';
import { createOpaqueIds } from '../platform/opaqueId.ts';
import { createAccess } from '../platform/organizations/access.ts';
import { createInvitations } from '../platform/organizations/invitations.ts';
import { createMembers } from '../platform/organizations/members.ts';
import { createOrganizations } from '../platform/organizations/organizations.ts';
import { createBusiest } from '../platform/properties/busiest.ts';
import { createProperties } from '../platform/properties/properties.ts';
import { createPropertyTransfer } from '../platform/properties/propertyTransfer.ts';
import { createShareLinks } from '../platform/properties/shareLinks.ts';
import { createTasks } from '../platform/properties/tasks.ts';
import { createRules } from '../platform/rules/rules.ts';
import { createPlans } from '../platform/users/plans.ts';
import { createSign } from '../sha256.ts';
import { waitForFinishing } from '../storage/finishingTasks.ts';
import { reportInvalidations } from '../storage/methods.ts';
import type { SharedState, Storage, StorageEngine, StorageOptions, Stores } from '../storage/storage.ts';
import { KEY_USES_CAPACITY } from './context.ts';
import { type EngineSettings, type OnUpgrade, selectEngine, upgrade } from './storageEngine.ts';

/** Commands report the state of the GeoIP files themselves. */
const SILENT = { info() {}, error() {} };

/** The use cases on one storage, for the server and for commands. */
export type Services = Awaited<ReturnType<typeof createServices>>;

/** The settings on which use cases depend. */
type UseCaseSettings = Pick<
  Config,
  | 'maintenance'
  | 'planOrganizations'
  | 'planProperties'
  | 'invitedPlan'
  | 'verifyRate'
  | 'verifyBurst'
  | 'portalRate'
  | 'portalBurst'
  | 'sessionIdleHours'
  | 'sessionMaxDays'
  | 'requireTwoFactor'
>;

export type ServicesOptions = Omit<StorageOptions, 'defaults'> &
  UseCaseSettings &
  Partial<Pick<Config, 'geoipFiles'>> &
  EngineSettings & {
    readonly clock?: Clock;
    /** Changes the stores before they are used, for example to measure their calls. */
    readonly wrapStores?: (stores: Stores) => Stores;
    /** Receives the events of the GeoIP files. */
    readonly eventLog?: Log;
    /** If set, a copy of the databases in the data folder is kept before they are migrated. */
    readonly onUpgrade?: OnUpgrade;
    /** Tests pass an engine whose threads they control. */
    readonly engine?: StorageEngine | undefined;
    /** Tests pass a faster implementation; the default is the native library. */
    readonly argon2?: Argon2 | undefined;
  };

/** Opens the storage, creates it if it is missing, and migrates it. @throws if the storage cannot be used */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const { engine = selectEngine(options), onUpgrade } = options;
  if (onUpgrade !== undefined) await upgrade(engine, options.dataDir, onUpgrade);
  const defaults = { organizations: options.planOrganizations, properties: options.planProperties };
  const storage = await engine.open({ ...options, defaults });
  return closeOnFailure(storage.close, () => createServices(storage, options));
}

/** Creates the services of a storage, which closes with them. */
async function createServices(storage: Storage, options: ServicesOptions) {
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
  const ownStorage: Omit<Storage, 'stores' | 'shared' | 'close'> = storage;
  const geoip = createGeoip(options.geoipFiles ?? [], options.eventLog ?? SILENT);
  const useCases = createUseCases({ ...options, stores, shared, audit, clock, geoip, ...secrets });
  const { maintenance } = useCases;
  return {
    ...useCases,
    audit,
    geoip,
    ids: createOpaqueIds(secrets.idSecret),
    /** 16 hexadecimal digits that identify the installation. They stay the same after a restore or a move. */
    installationId: createSign(secrets.idSecret)('installation').toHex().slice(0, 16),
    /** HMAC-SHA-256 of a purpose with a secret of this installation that the hot path does not use, 32 bytes. */
    derivePortal: secrets.derivePortal,
    /**
     * Returns the secret, 43 characters, with which backends can verify the challenges of a property offline. It depends only on the
     * sitekey, the number of replacements, and a secret of the installation. It cannot be used to verify or create Postern's own puzzles.
     *
     * @param rotations how many times it was replaced
     */
    offlineSecretOf(sitekey: string, rotations: number): string {
      const purpose = rotations === 0 ? `offline ${sitekey}` : `offline ${sitekey} ${rotations}`;
      return signatureOf(secrets.derivePortal, purpose);
    },
    /** Creates the first user, its API keys, and the demo, as configured. */
    firstStart: createFirstStart({ ...useCases, derive: secrets.deriveDemo }),
    /** The stores, which a server also uses directly. */
    stores,
    /** The state that the servers of the installation share, apart from the stores. */
    shared,
    /** What else the storage offers to a server. */
    storage: ownStorage,
    /** @returns a function that describes the installation for administrators */
    systemDescriber: (known: Pick<SystemFacts, 'version' | 'settings'>) =>
      createDescribeSystem({ ...known, measure: storage.measure, plans: stores.plans, maintenance, clock }),
    /** Runs the queries of the hot path and, if `isWriting`, a write. @throws if the database cannot be read or written */
    probe: ({ isWriting }: { readonly isWriting: boolean }) => probe(stores, isWriting),
    /** Registers a function that is called after every change that this process makes; see `changeVersion` for other processes. */
    onWrite(listener: () => void) {
      listeners.write = listener;
    },
    /** Registers a function that is called after this process has submitted a task. */
    onTask(listener: () => void) {
      listeners.task = listener;
    },
    /** Waits for pending writes, then closes the storage. */
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
  const authentication = createAuthentication({
    stores: { ...stores, attempts: shared.attempts },
    isClustered: shared.isClustered,
    limits: { idleMs: deps.sessionIdleHours * HOUR, absoluteMs: deps.sessionMaxDays * DAY },
    twoFactorRule: deps.requireTwoFactor,
    readCommon: readCommonPasswords,
    sealKey: derivePortal('seal'),
    sign: derivePortal,
    argon2: deps.argon2,
    random: systemRandom,
    audit,
    clock,
  });
  const { users, prepareUser } = authentication;
  const access = createAccess(organizations);
  const common = {
    ...deps,
    entryFor: audit.entryFor,
    accountStore: stores.accounts,
    organizations,
    access,
    prepareUser,
    random: systemRandom,
  };
  const signingKeys = createSigningKeys({ ...common, store: stores.signingKeys });
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
    attackMode: createAttackMode({ ...common, properties, propertyStore: stores.properties }),
    shareLinks: createShareLinks({ ...common, store: stores.shareLinks, properties }),
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
function toDefaultRates({ verifyRate, verifyBurst, portalRate, portalBurst }: UseCaseSettings) {
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
    derivePortal: createSign(portalSecret),
    deriveDemo: createSign(demoSecret),
  };
}

async function probe(stores: Stores, isWriting: boolean): Promise<void> {
  if (isWriting) {
    await stores.installation.probe();
    await stores.installation.endProbe();
  }
  await stores.properties.bySitekey(TEST_SITEKEY);
  await stores.apiKeys.byKeyHash('');
}
