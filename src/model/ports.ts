/**
 * What the house asks of storage. One method, one atomic step; transactions do not leave the store.
 * Every implementation passes the suites in test/contract.
 */
import type { Outcome } from '../lib/outcome.ts';
import type { Instant } from '../lib/time.ts';
import type { Account, AccountId } from './account.ts';
import type { ApiKey, ApiKeyId, Principal, Scope } from './apiKey.ts';
import type { Organization, OrganizationId } from './organization.ts';
import type { Property, PropertySettings, Sitekey } from './property.ts';

/** A value that may be at hand already: awaiting what is in memory would cost every puzzle a turn. */
export type Awaitable<T> = T | Promise<T>;

/** The hot path's view of properties: from memory where it can. */
export interface PropertyLookup {
  /** Live properties only: neither they nor their organization deleted. */
  bySitekey(sitekey: Sitekey): Awaitable<Property | undefined>;
}

/** The hot path's view of API keys. */
export interface PrincipalLookup {
  /**
   * @param keyHash SHA-256 of the key, lower-case hex
   * @returns undefined where no such key is live; expiry is the caller's to judge
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
};

export interface AccountStore {
  create(account: NewAccount, now: Instant): Promise<Outcome<Account, 'email-taken'>>;
  list(): Promise<readonly Account[]>;
  byEmail(email: string): Promise<Account | undefined>;
  setPasswordHash(id: AccountId, passwordHash: string): Promise<void>;
  count(): Promise<number>;
}

export interface OrganizationStore {
  create(
    organization: { readonly name: string; readonly ownerId: AccountId },
    now: Instant,
  ): Promise<Outcome<Organization, 'organization-name-taken'>>;
  byId(id: OrganizationId): Promise<Organization | undefined>;
  /** All, or those owned by or shared with one account; oldest first. */
  list(accountId?: AccountId): Promise<readonly Organization[]>;
  isMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
  /** Adding a member twice changes nothing. */
  addMember(id: OrganizationId, accountId: AccountId, now: Instant): Promise<void>;
  /** @returns whether there was such a member; the owner is none */
  removeMember(id: OrganizationId, accountId: AccountId): Promise<boolean>;
}

export type NewProperty = PropertySettings & {
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly domain: string;
  readonly sitekey: Sitekey;
};

export interface PropertyStore {
  create(property: NewProperty, now: Instant): Promise<Outcome<Property, 'property-name-taken'>>;
  /** All live ones, or those of one organization; oldest first. */
  list(organizationId?: OrganizationId): Promise<readonly Property[]>;
}

export type NewApiKey = {
  readonly accountId: AccountId;
  readonly name: string;
  readonly keyHash: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
};

export interface ApiKeyStore {
  create(key: NewApiKey, now: Instant): Promise<Outcome<ApiKey, 'key-taken'>>;
  list(accountId?: AccountId): Promise<readonly ApiKey[]>;
  /** Revoked ones too. */
  byId(id: ApiKeyId): Promise<ApiKey | undefined>;
  revoke(id: ApiKeyId, now: Instant): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Gives a live key another secret; the old one stops at once. */
  rotate(
    id: ApiKeyId,
    keyHash: string,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-taken'>>;
}

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
  isInMaintenance(): Promise<boolean>;
  setMaintenance(isOn: boolean): Promise<void>;
}
