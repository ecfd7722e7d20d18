import type { Awaitable } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { ApiKey, ApiKeyId, KeyRate, Principal, Scope } from '../apiKey.ts';
import type { AuditEntry } from '../audit.ts';
import type { OrganizationId } from '../organization.ts';

/** The hot path's view of API keys. */
export interface PrincipalLookup {
  /**
   * @param keyHash SHA-256 of the key, lower-case hex
   * @returns undefined where no such key is live, or its account is disabled; expiry is the caller's to judge
   */
  byKeyHash(keyHash: string): Awaitable<Principal | undefined>;
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

/** A method with an `entry` appends it to the audit log in the same transaction if it changes something. */
export interface ApiKeyStore {
  /** @param limit the maximum number of the user's keys that are neither revoked nor expired; checked in the same step */
  create(
    key: NewApiKey,
    limit: number,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-taken' | 'keys-limit'>>;
  list(accountId?: AccountId): Promise<readonly ApiKey[]>;
  /** Revoked ones too. */
  byId(id: ApiKeyId): Promise<ApiKey | undefined>;
  revoke(
    id: ApiKeyId,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Gives a live key another secret; the old one stops at once. */
  rotate(
    id: ApiKeyId,
    keyHash: string,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-taken'>>;
  /** Gives a live key another name or rate; what is absent stays. */
  change(
    id: ApiKeyId,
    change: KeyChange,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
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
