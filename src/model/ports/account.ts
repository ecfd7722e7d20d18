import type { Outcome } from '../../lib/outcome.ts';
import type { PageSlice } from '../../lib/page.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId, AccountSummary, TwoFactorSecret } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type { Email } from '../email.ts';
import type { Organization } from '../organization.ts';
import type { Session } from '../session.ts';

export type NewAccount = {
  readonly email: Email;
  readonly name: string;
  readonly isAdmin: boolean;
  /** PHC string; undefined for an account that cannot sign in yet. */
  readonly passwordHash: string | undefined;
  /** The name of an existing plan; `default` if absent. */
  readonly plan?: string;
};

/** Sort orders of a list of accounts: by creation or email address. */
export const ACCOUNT_ORDERS = ['created_asc', 'created_desc', 'email_asc', 'email_desc'] as const;
export type AccountOrder = (typeof ACCOUNT_ORDERS)[number];

/** Part of a list of accounts, oldest first unless `order` says otherwise. */
export type AccountSlice = PageSlice & { readonly order?: AccountOrder };

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface AccountStore {
  create(account: NewAccount, now: Instant, entry?: AuditEntry): Promise<Outcome<Account, 'email-taken'>>;
  list(): Promise<readonly Account[]>;
  byEmail(email: Email): Promise<Account | undefined>;
  byId(id: AccountId): Promise<Account | undefined>;
  /**
   * Lists part of the accounts that match.
   *
   * @param text a part of the email address or the name; the case of ASCII letters does not matter; empty for all accounts
   */
  search(text: string, slice: AccountSlice): Promise<readonly AccountSummary[]>;
  summaryOf(id: AccountId): Promise<AccountSummary | undefined>;
  /**
   * Disables or enables an account. Disabling also ends its sessions and deletes the invitations that it created.
   *
   * @param disabledAt undefined to enable the account
   * @returns rejected for the last administrator who can sign in
   */
  setDisabled(
    id: AccountId,
    disabledAt: Instant | undefined,
    entry?: AuditEntry,
  ): Promise<Outcome<Account, 'account-unknown' | 'admin-last'>>;
  setAdmin(
    id: AccountId,
    isAdmin: boolean,
    entry?: AuditEntry,
  ): Promise<Outcome<Account, 'account-unknown' | 'admin-last'>>;
  /** Replaces the password hash, ends all sessions of the account, and cancels an unconfirmed two-factor enrollment. */
  setPasswordHash(id: AccountId, passwordHash: string, entry?: AuditEntry): Promise<void>;
  /** @param entry appended in the same transaction */
  setEmail(
    id: AccountId,
    email: Email,
    entry?: AuditEntry,
  ): Promise<Outcome<Account, 'account-unknown' | 'email-taken'>>;
  setPlan(
    id: AccountId,
    plan: string,
    entry?: AuditEntry,
  ): Promise<Outcome<Account, 'account-unknown' | 'plan-unknown'>>;
  /**
   * Converts all addresses to the canonical form, including those that nodes of an earlier version have stored.
   *
   * @returns the number of users who keep another spelling, because another user has the canonical form
   */
  normalizeEmails(): Promise<number>;
  count(): Promise<number>;
}

export type FirstAccount = {
  readonly email: Email;
  readonly name: string;
  /** PHC string. */
  readonly passwordHash: string;
  readonly organizationName: string;
};

/** An account with the PHC string of its password, if it has one. */
export type Credential = { readonly account: Account; readonly passwordHash: string | undefined };

/** The passwords of accounts. */
export interface CredentialStore {
  byId(id: AccountId): Promise<Account | undefined>;
  byEmail(email: Email): Promise<Credential | undefined>;
  /** Replaces the hash of an unchanged password. Sessions continue. @returns false, without a change, if the hash is not `before` */
  rehash(id: AccountId, before: string, after: string): Promise<boolean>;
  /**
   * Replaces the password hash, ends all sessions of the account, and cancels an unconfirmed two-factor enrollment.
   *
   * @param before the current hash; undefined if there is none
   * @param entry appended to the audit log in the same transaction
   * @returns false, without a change, if the current hash is not `before` or the account is disabled
   */
  renewPassword(
    id: AccountId,
    before: string | undefined,
    after: string,
    entry?: AuditEntry,
  ): Promise<boolean>;
  rename(id: AccountId, name: string): Promise<void>;
  /** Whether the user has dismissed the checklist on the start page. */
  hasDismissedChecklist(id: AccountId): Promise<boolean>;
  dismissChecklist(id: AccountId, now: Instant): Promise<void>;
  /** Whether any account has a password. */
  canAnyoneSignIn(): Promise<boolean>;
  /**
   * Creates the first administrator and an organization.
   *
   * @param entry appended to the audit log in the same transaction, with the ids of the account and the organization
   * @returns rejected, without a change, if any account has a password or the email address is taken
   */
  setup(
    first: FirstAccount,
    now: Instant,
    entry?: AuditEntry,
  ): Promise<Outcome<{ account: Account; organization: Organization }, 'setup-closed' | 'email-taken'>>;
}

/**
 * The secrets and recovery codes of two-factor authentication. Methods append their `entry` to the audit log in the same transaction
 * if they change something.
 */
export interface TwoFactorStore {
  byAccount(accountId: AccountId): Promise<TwoFactorSecret | undefined>;
  /** Starts an enrollment with a new secret. Does nothing if two-factor authentication is on. */
  start(by: Pick<Session, 'id' | 'accountId'>, sealed: Uint8Array, now: Instant): Promise<void>;
  /**
   * Confirms the enrollment that this session started, and stores recovery codes.
   *
   * @param step time step of the first code
   * @returns false, without a change, if this session started no enrollment, or it is already confirmed
   */
  confirm(
    by: Pick<Session, 'id' | 'accountId'>,
    step: number,
    recoveryHashes: readonly string[],
    entry?: AuditEntry,
  ): Promise<boolean>;
  /** Uses the code of a time step. @returns false if a code of this or a later step was already used, or the secret is not confirmed */
  useStep(accountId: AccountId, step: number): Promise<boolean>;
  /** @returns false if the account has no recovery code with this hash */
  useRecoveryCode(accountId: AccountId, hash: string, entry?: AuditEntry): Promise<boolean>;
  /** Returns the number of unused recovery codes. */
  countRecoveryCodes(accountId: AccountId): Promise<number>;
  /** @returns false, without a change, if two-factor authentication is off */
  replaceRecoveryCodes(accountId: AccountId, hashes: readonly string[], entry?: AuditEntry): Promise<boolean>;
  /** Deletes the secret and the recovery codes. @returns false if there was no secret */
  remove(accountId: AccountId, entry?: AuditEntry): Promise<boolean>;
  /** Like `remove`, and ends all sessions of the account. The entry is appended only if there was a secret. */
  reset(accountId: AccountId, entry?: AuditEntry): Promise<boolean>;
}
