import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../account.ts';
import type { AuditEntry } from '../audit.ts';
import type { Email } from '../email.ts';
import type { Organization } from '../organization.ts';

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
