/**
 * What the house asks of storage. One method, one atomic step; transactions do not leave the store. Where the storage
 * itself cannot do its work, methods throw StoreFailure.
 * Every implementation passes the suites in test/contract.
 */
import type { Awaitable } from '../lib/awaitable.ts';
import type { Outcome } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { Account, AccountId, AccountSummary } from './account.ts';
import type { ApiKey, ApiKeyId, KeyRate, Principal, Scope } from './apiKey.ts';
import type { Caller } from './caller.ts';
import type {
  Member,
  Organization,
  OrganizationId,
  OrganizationOverview,
  OwnedOrganization,
} from './organization.ts';
import type { Plan } from './plan.ts';
import type { Problem } from './problems.ts';
import type { Property, PropertyId, PropertySettings, Sitekey } from './property.ts';
import type { PropertyUpdate, Task, TaskId, TaskOrder, TaskResult } from './task.ts';

/** The hot path's view of properties: from memory where it can. */
export interface PropertyLookup {
  /** Live properties only: neither they nor their organization deleted. */
  bySitekey(sitekey: Sitekey): Awaitable<Property | undefined>;
}

/** The hot path's view of API keys. */
export interface PrincipalLookup {
  /**
   * @param keyHash SHA-256 of the key, lower-case hex
   * @returns undefined where no such key is live, or its account is disabled; expiry is the caller's to judge
   */
  byKeyHash(keyHash: string): Awaitable<Principal | undefined>;
}

/** One presentation of a puzzle that has been solved. */
export type Claim = {
  /** 8 bytes. */
  readonly puzzleId: Uint8Array;
  /** Unix seconds. */
  readonly expiresAtSeconds: number;
};

/** The durable count of presentations. */
export interface ReplayLedger {
  /**
   * Counts one presentation and keeps the count before it answers, whatever happens to the process after.
   *
   * @returns 1 for the first presentation of this puzzle, 2 for the second, and so on; no number twice
   * @throws where the count cannot be kept; then it was not counted
   */
  claim(claim: Claim): Promise<number>;
  /**
   * Forgets some of the puzzles that expired before this moment.
   *
   * @param beforeSeconds unix seconds
   * @returns how many; 0 when none is left
   */
  purge(beforeSeconds: number): Promise<number>;
  /** @returns whether the ledger works; see `claim` */
  isWell(): boolean;
  close(): Promise<void>;
}

export type NewAccount = {
  readonly email: string;
  readonly name: string;
  readonly isAdmin: boolean;
  /** PHC string, or undefined for an account that cannot sign in yet. */
  readonly passwordHash: string | undefined;
  /** The name of an existing plan; `default` unless given. */
  readonly plan?: string;
};

export interface AccountStore {
  create(account: NewAccount, now: Instant): Promise<Outcome<Account, 'email-taken'>>;
  list(): Promise<readonly Account[]>;
  byEmail(email: string): Promise<Account | undefined>;
  byId(id: AccountId): Promise<Account | undefined>;
  /**
   * A piece of the list, oldest first.
   *
   * @param text a part of the address or the name, in capitals or not as far as ASCII goes; "" for all
   */
  search(
    text: string,
    slice: { readonly offset: number; readonly limit: number },
  ): Promise<readonly AccountSummary[]>;
  /** One of that list. */
  summaryOf(id: AccountId): Promise<AccountSummary | undefined>;
  /**
   * Invitations that it made are withdrawn with it, and its sessions end.
   *
   * @param disabledAt undefined makes it as good as others again
   * @returns refused for the last administrator that can sign in
   */
  setDisabled(
    id: AccountId,
    disabledAt: Instant | undefined,
  ): Promise<Outcome<Account, 'account-unknown' | 'admin-last'>>;
  setAdmin(id: AccountId, isAdmin: boolean): Promise<Outcome<Account, 'account-unknown' | 'admin-last'>>;
  /** Sets the hash of another password, and ends every session of the account in the same step; a second factor that was not confirmed is void. */
  setPasswordHash(id: AccountId, passwordHash: string): Promise<void>;
  setPlan(id: AccountId, plan: string): Promise<Outcome<Account, 'account-unknown' | 'plan-unknown'>>;
  count(): Promise<number>;
}

export interface PlanStore {
  /** By name; the default plan is always there. */
  list(): Promise<readonly Plan[]>;
  /** Makes a plan, or gives it other quotas. */
  set(plan: Plan): Promise<Plan>;
}

export interface OrganizationStore {
  /** The owner's plan is asked in the same step: two at once do not pass its quota. */
  create(
    organization: { readonly name: string; readonly ownerId: AccountId },
    now: Instant,
  ): Promise<Outcome<Organization, 'organization-name-taken' | 'organizations-limit'>>;
  rename(
    id: OrganizationId,
    name: string,
  ): Promise<Outcome<Organization, 'organization-unknown' | 'organization-name-taken'>>;
  /** It and its properties are gone for everybody at once; their rows stay until they are purged. */
  remove(id: OrganizationId, now: Instant): Promise<Outcome<Organization, 'organization-unknown'>>;
  byId(id: OrganizationId): Promise<OwnedOrganization | undefined>;
  /** All, or those owned by or shared with one account; oldest first. */
  list(accountId?: AccountId): Promise<readonly OwnedOrganization[]>;
  /** The same of one account, with what it has to do with each and how much is in it. */
  overview(accountId: AccountId): Promise<readonly OrganizationOverview[]>;
  isMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
  /** Adding a member twice changes nothing. */
  addMember(id: OrganizationId, accountId: AccountId, now: Instant): Promise<void>;
  /** Its open invitations go with the member. @returns whether there was such a member; the owner is none */
  removeMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
  /** The owner first, then the others in the order in which they came. */
  members(id: OrganizationId): Promise<readonly Member[]>;
  /** One member becomes the owner, and the owner a member, whose open invitations are withdrawn. The new owner's plan and names are asked in the same step. */
  transfer(
    id: OrganizationId,
    from: AccountId,
    to: AccountId,
  ): Promise<Outcome<Organization, TransferProblem>>;
}

export type TransferProblem =
  | 'organization-unknown'
  | 'organization-not-owned'
  | 'member-is-owner'
  | 'member-unknown'
  | 'account-disabled'
  | 'organization-name-taken'
  | 'organizations-limit'
  | 'properties-limit';

export type NewProperty = PropertySettings & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
  readonly sitekey: Sitekey;
};

/** The orders of a list. Names in the order of their lower-case code points; dates are those of creation. */
export const PROPERTY_ORDERS = ['date_asc', 'date_desc', 'name_asc', 'name_desc'] as const;
export type PropertyOrder = (typeof PROPERTY_ORDERS)[number];

/** A piece of a list: `limit` items after the first `offset`. */
export type Slice = { readonly offset: number; readonly limit: number; readonly order: PropertyOrder };

/** What a property is looked for by: it is found where one of the three has the part that is given. */
export type PropertySearch = {
  /** Of the folded name. */
  readonly name: string;
  /** Lower-case ASCII. */
  readonly domain: string;
  /** Lower-case. */
  readonly sitekey: string;
};

export interface PropertyStore {
  /**
   * The organization and its owner's plan are asked in the same step.
   *
   * @param caller whose permission counts; without one the house itself asks, which may everything
   */
  create(
    property: NewProperty,
    now: Instant,
    caller?: Caller,
  ): Promise<
    Outcome<
      Property,
      'organization-unknown' | 'organization-not-yours' | 'property-name-taken' | 'properties-limit'
    >
  >;
  /** Enables or disables a property, on behalf of the installation itself. Safe to repeat. */
  setEnabled(id: PropertyId, isEnabled: boolean, now: Instant): Promise<Outcome<Property, 'property-gone'>>;
  /** A live one; its organization is live too. */
  byId(id: PropertyId): Promise<Property | undefined>;
  /** All live ones, or those of one organization; oldest first. */
  list(organizationId?: OrganizationId): Promise<readonly Property[]>;
  /** Of one organization; no property is in two slices that meet, and none left out, while nothing changes. */
  slice(organizationId: OrganizationId, slice: Slice): Promise<readonly Property[]>;
  /** The same of those that are found. Where few are, it looks at every property of the organization. */
  search(organizationId: OrganizationId, wanted: PropertySearch, slice: Slice): Promise<readonly Property[]>;
  /**
   * Forgets some of the properties and organizations that were deleted before this moment, with the properties'
   * statistics, and the API keys and tasks that were limited to such an organization.
   *
   * @returns how many; 0 when none is left
   */
  purge(before: Instant): Promise<number>;
}

/** What a planned task does for one item. What depends on the state is judged when it is done. */
export type TaskStep =
  | { readonly do: 'create'; readonly property: NewProperty; readonly skipsDnsCheck?: boolean }
  | ({ readonly do: 'update'; readonly skipsDnsCheck?: boolean } & PropertyUpdate)
  | { readonly do: 'delete'; readonly id: PropertyId }
  | { readonly do: 'refuse'; readonly result: TaskResult & { readonly problem: Problem } };

export type NewTask = { readonly id: TaskId; readonly caller: Caller; readonly order: TaskOrder };

/** The right to finish a task, until it lapses. */
export type Lease = {
  /** Told apart from all others. */
  readonly token: string;
  readonly until: Instant;
};

/** How many tasks of one account there may be. */
export type TaskLimits = {
  /** Unfinished ones. */
  readonly unfinished: number;
  /** In all; more than of the unfinished ones. */
  readonly kept: number;
};

export interface TaskStore {
  /**
   * Where the account has as many tasks as are kept, the oldest finished ones make room.
   *
   * @returns refused where it has as many unfinished ones as it may have
   */
  enqueue(task: NewTask, limits: TaskLimits, now: Instant): Promise<Outcome<void, 'task-queue-full'>>;
  /** Those that the account started with the same limit to an organization, or none. */
  byId(id: TaskId, caller: Caller): Promise<Task | undefined>;
  /** A piece of the same, newest first. */
  page(caller: Caller, slice: { readonly offset: number; readonly limit: number }): Promise<readonly Task[]>;
  /**
   * Leases the oldest task that can go on: of one account only the oldest unfinished one can, so its tasks end in
   * the order in which they were given.
   */
  claim(lease: Lease, now: Instant): Promise<Task | undefined>;
  /** @returns false where the lease has been lost */
  renew(id: TaskId, lease: Lease): Promise<boolean>;
  /** Planning broke down: it is counted, and the lease ends at `retryAt`. */
  postpone(id: TaskId, token: string, retryAt: Instant): Promise<void>;
  /** Ends every lease: their holders are known to be gone. */
  releaseAll(): Promise<void>;
  /**
   * Does every step and keeps the results, all or nothing. Permissions, names and quotas are judged at this moment; of
   * a key that has been revoked meanwhile nothing is done.
   *
   * @returns the results in the order of the steps; undefined where the lease has been lost, then nothing was done
   */
  finish(
    id: TaskId,
    token: string,
    steps: readonly TaskStep[],
    now: Instant,
  ): Promise<readonly TaskResult[] | undefined>;
  /** Forgets some of the tasks that ended before this moment. @returns how many; 0 when none is left */
  purge(before: Instant): Promise<number>;
}

export type NewApiKey = KeyRate & {
  readonly accountId: AccountId;
  readonly name: string;
  readonly keyHash: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
};

export interface ApiKeyStore {
  /**
   * @param limit of the user's keys that are neither revoked nor expired; counted in the same step
   */
  create(key: NewApiKey, limit: number, now: Instant): Promise<Outcome<ApiKey, 'key-taken' | 'keys-limit'>>;
  list(accountId?: AccountId): Promise<readonly ApiKey[]>;
  /** Revoked ones too. */
  byId(id: ApiKeyId): Promise<ApiKey | undefined>;
  revoke(id: ApiKeyId, now: Instant): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Gives a live key another secret; the old one stops at once. */
  rotate(
    id: ApiKeyId,
    keyHash: string,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-taken'>>;
  /** Gives a live key another name or rate; what is absent stays. */
  change(id: ApiKeyId, change: KeyChange): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Live keys of an account that expire after one moment and not after another, soonest first. */
  expiring(accountId: AccountId, from: Instant, to: Instant): Promise<readonly ApiKey[]>;
  /**
   * Marks some live keys of enabled accounts for a warning that is due: the last one of EXPIRY_WARNING_DAYS whose time has
   * come. No key is marked twice for the same warning, nor for an earlier one afterwards.
   *
   * @returns the keys that were marked now; none when no warning is due
   */
  markExpiring(now: Instant): Promise<readonly ExpiringKey[]>;
  /** Keeps when keys were used last; never an earlier moment than the one that is kept. */
  noteUses(uses: readonly KeyUse[]): Promise<void>;
}

export type KeyChange = Partial<KeyRate & { readonly name: string }>;

/** A key that expires within so many days, one of EXPIRY_WARNING_DAYS. */
export type ExpiringKey = { readonly key: ApiKey; readonly days: number };

export type KeyUse = { readonly id: ApiKeyId; readonly at: Instant };

export type SigningKey = {
  /** 4 bytes: which key signed. */
  readonly fingerprint: Uint8Array;
  /** 32 bytes. */
  readonly secret: Uint8Array;
  readonly createdAt: Instant;
};

export interface SigningKeyStore {
  /** Newest first; the newest signs, all verify. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey): Promise<void>;
  /** Drops keys that a newer one replaced before this moment. @returns how many */
  prune(replacedBefore: Instant): Promise<number>;
}

/** What belongs to this installation as a whole. */
export interface InstallationStore {
  /** The 32 bytes under this name, made from `fresh` when there are none yet. */
  secret(name: string, fresh: Uint8Array): Promise<Uint8Array>;
  /** Writes something that changes nothing. @throws where the database cannot be written */
  probe(): Promise<void>;
  /** A number that changes when anything but these stores has written, such as another process. */
  otherWrites(): Promise<number>;
  isInMaintenance(): Promise<boolean>;
  setMaintenance(isOn: boolean): Promise<void>;
}
