import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId } from '../account.ts';
import type { Organization } from '../organization.ts';

export type FirstAccount = {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly organizationName: string;
};

/** What signing in asks of the storage of accounts. */
export interface CredentialStore {
  byId(id: AccountId): Promise<Account | undefined>;
  /** With the PHC string of the password, where there is one. */
  byEmail(email: string): Promise<{ account: Account; passwordHash: string | undefined } | undefined>;
  /** Sets another hash; sessions stay. @returns false where the password was changed meanwhile; then nothing was done */
  rehash(id: AccountId, before: string, after: string): Promise<boolean>;
  /**
   * Sets the hash of another password and ends every session of the account, all in one step.
   *
   * @param before what the password is now; undefined where there is none
   * @returns false where it was changed meanwhile, or the account is disabled; then nothing was done
   */
  renewPassword(id: AccountId, before: string | undefined, after: string): Promise<boolean>;
  rename(id: AccountId, name: string): Promise<void>;
  /** Whether any account can sign in. */
  hasSomebody(): Promise<boolean>;
  /**
   * Makes the first account that can sign in, an administrator, and its organization, in one step.
   *
   * @returns refused where somebody can sign in by now, or there is an account of this address; then nothing was done
   */
  setup(
    first: FirstAccount,
    now: Instant,
  ): Promise<Outcome<{ account: Account; organization: Organization }, 'set-up-over' | 'email-taken'>>;
}
