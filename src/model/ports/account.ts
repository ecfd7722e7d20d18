import type { Outcome } from '../../lib/outcome.ts';
import type { Instant } from '../../lib/time.ts';
import type { Account, AccountId, AccountSummary } from '../account.ts';

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
