import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId, AccountSummary } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type { Email } from '../email.ts';

export type NewAccount = {
  readonly email: Email;
  readonly name: string;
  readonly isAdmin: boolean;
  /** PHC string; undefined for an account that cannot sign in yet. */
  readonly passwordHash: string | undefined;
  /** The name of an existing plan; `default` if absent. */
  readonly plan?: string;
};

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface AccountStore {
  create(account: NewAccount, now: Instant, entry?: AuditEntry): Promise<Outcome<Account, 'email-taken'>>;
  list(): Promise<readonly Account[]>;
  byEmail(email: Email): Promise<Account | undefined>;
  byId(id: AccountId): Promise<Account | undefined>;
  /**
   * Lists accounts, oldest first.
   *
   * @param text a part of the email address or the name; the case of ASCII letters does not matter; empty for all accounts
   */
  search(
    text: string,
    slice: { readonly offset: number; readonly limit: number },
  ): Promise<readonly AccountSummary[]>;
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
