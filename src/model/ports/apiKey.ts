import type { Awaitable } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { ApiKey, ApiKeyId, KeyRate, Principal, Scope } from '../apiKey.ts';
import type { AuditEntry } from '../audit.ts';
import type { OrganizationId } from '../organization.ts';

/** The part of the API key store that the hot path uses. */
export interface PrincipalLookup {
  /**
   * @param keyHash SHA-256 of the key, lowercase hex
   * @returns undefined if the key is unknown or revoked or its account is disabled; the caller checks the expiry
   */
  byKeyHash(keyHash: string): Awaitable<Principal | undefined>;
}

export type NewApiKey = KeyRate & {
  readonly accountId: AccountId;
  readonly name: string;
  /** SHA-256 of the key, lowercase hex. */
  readonly keyHash: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
};

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface ApiKeyStore {
  /** @param limit maximum number of the user's keys that are neither revoked nor expired */
  create(
    key: NewApiKey,
    limit: number,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-taken' | 'keys-limit'>>;
  list(accountId?: AccountId): Promise<readonly ApiKey[]>;
  /** Also finds revoked keys. */
  byId(id: ApiKeyId): Promise<ApiKey | undefined>;
  revoke(
    id: ApiKeyId,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Replaces the secret of a key. The old secret stops working immediately. */
  rotate(
    id: ApiKeyId,
    keyHash: string,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-taken'>>;
  /** Changes the name and the rate. Absent fields do not change. */
  change(
    id: ApiKeyId,
    change: KeyChange,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Lists the keys of an account that are not revoked and expire after `from`, but not after `to`; soonest first. */
  expiring(accountId: AccountId, from: Instant, to: Instant): Promise<readonly ApiKey[]>;
  /**
   * Marks a batch of keys for the latest warning of EXPIRY_WARNING_DAYS that is due. Revoked keys and keys of disabled accounts get
   * no warning. A key is marked once for each warning, and not for an earlier warning after a later one.
   *
   * @returns the keys that this call marked; empty if no warning is due
   */
  markExpiring(now: Instant): Promise<readonly ExpiringKey[]>;
  /** Stores the times of the last use of keys, unless a later time is stored already. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

export type KeyChange = Partial<KeyRate & { readonly name: string }>;

/** A key that expires within `days`, one of EXPIRY_WARNING_DAYS. */
export type ExpiringKey = { readonly key: ApiKey; readonly days: number };

export type KeyUse = { readonly id: ApiKeyId; readonly at: Instant };
