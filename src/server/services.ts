import { readCommonPasswords } from '../commonPasswords.ts';
import { type Random, systemRandom } from '../lib/ids.ts';
import { type Clock, DAY, HOUR, systemClock } from '../lib/time.ts';
import type { RecordAudit } from '../model/audit.ts';
import type { Quotas } from '../model/plan.ts';
import type { TaskStore } from '../model/ports/task.ts';
import { TEST_SITEKEY } from '../model/property.ts';
import type { TwoFactorRule } from '../model/secondFactor.ts';
import type { SystemFacts } from '../model/system.ts';
import { type Access, createAccess } from '../platform/access.ts';
import type { Accounts } from '../platform/accounts.ts';
import { type ApiKeys, createApiKeys } from '../platform/apiKeys.ts';
import { type Audit, createAudit } from '../platform/audit.ts';
import { type Authentication, createAuthentication } from '../platform/authentication.ts';
import { createResolve, type Resolve } from '../platform/dnsResolver.ts';
import { createFirstStart, type FirstStart, type Wanted } from '../platform/firstStart.ts';
import { createInvitations, type Invitations } from '../platform/invitations.ts';
import { createKeyUses, type KeyUses } from '../platform/keyUses.ts';
import { createMaintenance, type Maintenance } from '../platform/maintenance.ts';
import { createMembers, type Members } from '../platform/members.ts';
import { createOpaqueIds, type OpaqueIds } from '../platform/opaqueId.ts';
import { createOrganizations, type Organizations } from '../platform/organizations.ts';
import type { Argon2 } from '../platform/passwords.ts';
import { createPlans, type Plans } from '../platform/plans.ts';
import { createProperties, type Properties } from '../platform/properties.ts';
import { createSigningKeys, type SigningKeys } from '../platform/signingKeys.ts';
import { createDescribeSystem, type DescribeSystem } from '../platform/system.ts';
import { createTasks, type Tasks } from '../platform/tasks.ts';
import { createUsers, type Users } from '../platform/users.ts';
import { reportInvalidations } from '../storage/methods.ts';
import type { Stores as AllStores, Storage, StorageEngine, StorageOptions } from '../storage/storage.ts';
import { createHmac, sha256, sha256Hex } from './crypto.ts';
import { storageEngine } from './storage.ts';

/** API keys whose last use is noted between two flushes at most; as many as a server remembers. */
const USES_CAPACITY = 20_000;

/** The back office on one data folder: what the commands work with, whether a server runs or not. */
export type Services = {
  readonly accounts: Accounts;
  readonly authentication: Authentication;
  readonly users: Users;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly audit: Audit;
  readonly keyUses: KeyUses;
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
  readonly stores: Stores;
  readonly openLedger: Storage['openLedger'];
  /** @returns how to tell facts of the installation; whoever asks knows the program and its settings */
  readonly systemDescriber: (known: Pick<SystemFacts, 'version' | 'settings'>) => DescribeSystem;
  /** Reads what the hot path reads, and may also write. @throws where the database cannot be read or written */
  readonly probe: (also: { readonly isWriting: boolean }) => Promise<void>;
  /** Registers a function that is called after every change by this process; for other processes, see `otherWrites`. */
  readonly onWrite: (listener: () => void) => void;
  /** A number that changes when another process has written. */
  readonly otherWrites: () => Promise<number>;
  /** From now on told after every task that came through this process. */
  readonly onTask: (listener: () => void) => void;
  /** Waits for the writes that were sent. */
  readonly close: () => Promise<void>;
};

/** What a running server asks without a use case between. */
export type Stores = Pick<
  AllStores,
  'properties' | 'apiKeys' | 'tasks' | 'audit' | 'invitations' | 'statistics'
>;

export type ServicesOptions = Omit<StorageOptions, 'defaults'> & {
  /** Maintenance by configuration. */
  readonly maintenance: boolean;
  /** The default plan's quotas by configuration. */
  readonly planOrganizations: number;
  readonly planProperties: number;
  /** The plan of accounts that are created through an invitation. */
  readonly invitedPlan: string;
  /** What holds for API keys without a rate of their own. */
  readonly verifyRate: number;
  readonly verifyBurst: number;
  /** The rate limit of the Platform API for each user. */
  readonly portalRate: number;
  readonly portalBurst: number;
  /** Told what was done and could not be noted down in the audit log. */
  readonly onAuditFailure: (action: string, error: unknown) => void;
  readonly sessionIdleHours: number;
  readonly sessionMaxDays: number;
  readonly requireTwoFactor: TwoFactorRule;
  readonly clock?: Clock;
  /** Tests pass an engine whose threads they control. */
  readonly engine?: StorageEngine | undefined;
  /** The slow password hash; the library's unless a test brings its own. */
  readonly argon2?: Argon2 | undefined;
};

/** @returns how to ask the DNS for a domain, undefined where it is not to be asked */
export function createLookUp(options: {
  readonly dnsCheck: boolean;
  readonly dnsServers: readonly string[] | undefined;
  readonly dnsTimeoutMs: number;
}): Resolve | undefined {
  if (!options.dnsCheck) return undefined;
  return createResolve({ servers: options.dnsServers, timeoutMs: options.dnsTimeoutMs, timer });
}

/** The system's timer. */
export function timer(milliseconds: number, run: () => void): () => void {
  const id = setTimeout(run, milliseconds);
  return () => clearTimeout(id);
}

/**
 * Opens the data folder, which is made where it is missing, and migrates its database.
 *
 * @throws where the folder or its database cannot be used
 */
export async function openServices(options: ServicesOptions): Promise<Services> {
  const clock = options.clock ?? systemClock;
  const random = systemRandom;
  let writeListener = (): void => {};
  let taskListener = (): void => {};
  const defaults: Quotas = { organizations: options.planOrganizations, properties: options.planProperties };
  const storage = await (options.engine ?? storageEngine).open({ ...options, defaults });
  const stores = reportInvalidations(storage.stores, () => writeListener());

  const onFailure = options.onAuditFailure;
  const audit = createAudit({ store: stores.audit, accounts: stores.accounts, clock, onFailure });
  const { authentication, derivePortal } = await openAuthentication(stores, options, audit.record);
  const { accounts } = authentication;
  const plans = createPlans({ store: stores.plans, accountStore: stores.accounts, accounts });
  const access = createAccess(stores.organizations);
  const organizations = createOrganizations({ store: stores.organizations, access, clock });
  const back = { organizations: stores.organizations, access, clock, random };
  const properties = createProperties({ store: stores.properties, ...back });
  const enqueue: TaskStore['enqueue'] = (...task) =>
    stores.tasks.enqueue(...task).finally(() => taskListener());
  const tasks = createTasks({ store: { ...stores.tasks, enqueue }, ...back });
  const configured = configuredRates(options);
  const apiKeys = createApiKeys({ store: stores.apiKeys, ...back, digest: sha256Hex, configured });
  const team = createTeam({ ...options, ...back, accounts, stores, audit });
  const signingKeys = createSigningKeys({ store: stores.signingKeys, clock, random, digest: sha256 });
  const maintenance = createMaintenance(stores.installation, options.maintenance);
  const ids = createOpaqueIds(await stores.installation.secret('id key', random(new Uint8Array(32))));
  const demoSecret = await stores.installation.secret('demo key', random(new Uint8Array(32)));
  const derive = (purpose: string) => hmacOf(demoSecret, purpose);
  const firstStart = createFirstStart({ accounts, organizations, properties, apiKeys, derive });

  return {
    accounts,
    authentication,
    audit,
    ...team,
    organizations,
    properties,
    apiKeys,
    plans,
    tasks,
    signingKeys,
    maintenance,
    access,
    ids,
    derivePortal,
    firstStart,
    stores,
    openLedger: storage.openLedger,
    systemDescriber: (known) =>
      createDescribeSystem({ ...known, measure: storage.measure, plans, maintenance, clock }),
    probe: ({ isWriting }) => probe(stores, isWriting),
    onWrite: (next) => {
      writeListener = next;
    },
    otherWrites: stores.installation.otherWrites,
    onTask: (next) => {
      taskListener = next;
    },
    close: storage.close,
  };
}

/** The rates of API keys without their own, by scope. */
function configuredRates({ verifyRate, verifyBurst, portalRate, portalBurst }: ServicesOptions) {
  return {
    verify: { rate: verifyRate, burst: verifyBurst },
    portal: { rate: portalRate, burst: portalBurst },
  };
}

/** Reads what the hot path reads. */
async function probe(stores: AllStores, isWriting: boolean): Promise<void> {
  if (isWriting) await stores.installation.probe();
  await stores.properties.bySitekey(TEST_SITEKEY);
  await stores.apiKeys.byKeyHash('');
}

type TeamDeps = {
  readonly stores: AllStores;
  readonly accounts: Accounts;
  readonly audit: Audit;
  readonly invitedPlan: string;
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
};

/** What people do with each other, and the log of it. */
function createTeam({
  stores,
  ...deps
}: TeamDeps): Pick<Services, 'users' | 'members' | 'invitations' | 'keyUses'> {
  const { accounts: accountStore, organizations, invitations, sessions, apiKeys } = stores;
  const { access, clock } = deps;
  return {
    users: createUsers({ store: accountStore, sessions, clock }),
    members: createMembers({ store: organizations, access }),
    invitations: createInvitations({
      ...deps,
      store: invitations,
      accountStore,
      organizations,
      digest: sha256Hex,
    }),
    keyUses: createKeyUses({ store: apiKeys, clock, capacity: USES_CAPACITY }),
  };
}

async function openAuthentication(
  stores: AllStores,
  options: ServicesOptions,
  audit: RecordAudit,
): Promise<Pick<Services, 'authentication' | 'derivePortal'>> {
  const secret = await stores.installation.secret('portal key', systemRandom(new Uint8Array(32)));
  const derivePortal = (purpose: string) => hmacOf(secret, purpose);
  const authentication = createAuthentication({
    stores,
    limits: { idleMs: options.sessionIdleHours * HOUR, absoluteMs: options.sessionMaxDays * DAY },
    twoFactorRule: options.requireTwoFactor,
    readCommon: readCommonPasswords,
    sealKey: derivePortal('seal'),
    sign: derivePortal,
    argon2: options.argon2,
    audit,
    clock: options.clock ?? systemClock,
    random: systemRandom,
    digest: sha256Hex,
  });
  return { authentication, derivePortal };
}

function hmacOf(secret: Uint8Array, purpose: string): Uint8Array {
  return createHmac()(secret, new TextEncoder().encode(purpose)).slice(0, 32);
}
