import type { Awaitable } from '../../lib/awaitable.ts';
import type { Outcome } from '../../lib/outcome.ts';
import type { PageSlice } from '../../lib/page.ts';
import type { Instant } from '../../lib/time.ts';
import type { AccountId } from '../account.ts';
import type { ApiKey, ApiKeyId, KeyOwner, KeyRate, Principal, Scope, SecretHint } from '../apiKey.ts';
import type { AuditEntry } from '../audit.ts';
import type { OrganizationId } from '../organization.ts';

/** The part of the API key store that the hot path uses. */
export interface PrincipalLookup {
  /**
   * @param keyHash SHA-256 of the key, lowercase hex
   * @returns undefined if the key is unknown or revoked, the secret was ended, its account is disabled, or the organization that owns it is deleted. The
   *   caller checks `expiresAt`, also for the secret that the last rotation replaced.
   */
  byKeyHash(keyHash: string): Awaitable<Principal | undefined>;
}

export type NewApiKey = KeyRate & {
  readonly accountId: AccountId;
  readonly isOrganizationOwned: boolean;
  readonly hint: SecretHint;
  readonly name: string;
  /** SHA-256 of the key, lowercase hex. */
  readonly keyHash: string;
  readonly scope: Scope;
  readonly organizationId: OrganizationId | undefined;
  readonly isReadOnly: boolean;
  readonly expiresAt: Instant | undefined;
};

/**
 * Sort orders of a list of keys: by creation, name, last use, or expiry. A key that was never used has the earliest last use, and a key that
 * does not expire has the latest expiry.
 */
export const KEY_ORDERS = [
  'created_desc',
  'created_asc',
  'name_asc',
  'name_desc',
  'used_desc',
  'used_asc',
  'expires_asc',
  'expires_desc',
] as const;
export type KeyOrder = (typeof KEY_ORDERS)[number];

/** Part of the keys of an owner: those that are revoked, the last revoked first, or the others, newest first unless `order` says otherwise. */
export type KeySlice = PageSlice & { readonly isRevoked: boolean; readonly order?: KeyOrder };

/** A new secret for a key. */
export type Rotation = {
  /** SHA-256 of the new secret, lowercase hex. */
  readonly keyHash: string;
  readonly hint: SecretHint;
  readonly at: Instant;
  /** The replaced secret works before this time. */
  readonly oldWorksUntil: Instant;
  /** The SHA-256 of the current secret, if the caller has to know it. */
  readonly expectedHash?: string | undefined;
};

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface ApiKeyStore {
  /**
   * @param limit maximum number of the owner's keys that are neither revoked nor expired
   * @returns rejected with `key-taken` if the secret is the current, the previous, or the first secret of a key
   */
  create(
    key: NewApiKey,
    limit: number,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-taken' | 'keys-limit'>>;
  /** Lists all keys, or those of one owner, oldest first. */
  list(owner?: KeyOwner): Promise<readonly ApiKey[]>;
  page(owner: KeyOwner, slice: KeySlice): Promise<readonly ApiKey[]>;
  /** Also finds revoked keys. */
  byId(id: ApiKeyId): Promise<ApiKey | undefined>;
  revoke(
    id: ApiKeyId,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /** Replaces the secret of a key. A secret that an earlier rotation replaced stops working. */
  rotate(id: ApiKeyId, rotation: Rotation, entry?: AuditEntry): Promise<Outcome<ApiKey, RotationProblem>>;
  /** Ends the replaced secret of a key: `worksUntil` becomes the time of the rotation. Rejected if no replaced secret works at this time. */
  endOldSecret(
    id: ApiKeyId,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked' | 'key-old-secret-ended'>>;
  /** Changes the name and the rate. Absent fields do not change. */
  change(
    id: ApiKeyId,
    change: KeyChange,
    entry?: AuditEntry,
  ): Promise<Outcome<ApiKey, 'key-unknown' | 'key-revoked'>>;
  /**
   * Lists the keys of an account, and of the organizations that it owns, that are not revoked and expire after `from`, but not after
   * `to`; soonest first.
   */
  expiring(accountId: AccountId, from: Instant, to: Instant): Promise<readonly ApiKey[]>;
  /**
   * Marks a batch of keys for the latest warning of EXPIRY_WARNING_DAYS that is due. Revoked keys and keys of disabled accounts or
   * deleted organizations get no warning. A key is marked once for each warning, and not for an earlier warning after a later one.
   *
   * @returns the keys that this call marked; empty if no warning is due
   */
  markExpiring(now: Instant): Promise<readonly ExpiringKey[]>;
  /**
   * Stores the times of the last use of keys and of their replaced secrets, unless a later time is stored already. A use of a secret
   * that a later rotation has replaced is only a use of the key.
   */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
}

export type KeyChange = Partial<KeyRate & { readonly name: string }>;

/** A key that expires within `days`, one of EXPIRY_WARNING_DAYS. */
export type ExpiringKey = { readonly key: ApiKey; readonly days: number };

export type KeyUse = {
  readonly id: ApiKeyId;
  readonly at: Instant;
  /** When a replaced secret of the key was last used; undefined if it was not. */
  readonly old?: OldUse | undefined;
};

/** A use of a secret, and when that secret was replaced. */
export type OldUse = { readonly at: Instant; readonly replacedAt: Instant };

export type RotationProblem = 'key-unknown' | 'key-revoked' | 'key-taken' | 'key-secret-replaced';
