import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import { type Account, parseEmail } from '../../model/account.ts';
import { type NameProblem, parseName } from '../../model/name.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { AccountStore, NewAccount } from '../../model/ports/account.ts';
import type { CheckNewPassword } from '../authentication/newPassword.ts';
import type { Passwords } from '../authentication/passwords.ts';

export type AccountProblem =
  | 'email-malformed'
  | 'email-taken'
  | 'passwords-busy'
  | NameProblem<'account'>
  | NewPasswordProblem;

export type AccountDraft = {
  readonly email: string;
  readonly name: string | undefined;
  readonly isAdmin: boolean;
  readonly password: string | undefined;
  /** Name of the organization that the user joins, if any; the password must not be based on it. */
  readonly organizationName?: string;
};

export type Accounts = {
  /** Without a name the e-mail address is the name; without a password the account cannot sign in until one is set. */
  readonly create: (draft: AccountDraft) => Promise<Outcome<Account, AccountProblem>>;
  /** The same, as far as it goes without the store: judges, and hashes the password. */
  readonly prepare: (
    draft: AccountDraft,
  ) => Promise<Outcome<NewAccount, Exclude<AccountProblem, 'email-taken'>>>;
  readonly list: () => Promise<readonly Account[]>;
  readonly byEmail: (email: string) => Promise<Outcome<Account, 'account-unknown'>>;
  /** Ends every session of the account. */
  readonly setPassword: (
    email: string,
    password: string,
  ) => Promise<Outcome<Account, 'account-unknown' | 'passwords-busy' | NewPasswordProblem>>;
};

/** Use cases around people. */
export function createAccounts(deps: {
  readonly store: AccountStore;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly clock: Clock;
}): Accounts {
  async function byEmail(email: string): Promise<Outcome<Account, 'account-unknown'>> {
    const parsed = parseEmail(email);
    const account = parsed.ok ? await deps.store.byEmail(parsed.value) : undefined;
    return account === undefined ? reject('account-unknown') : done(account);
  }

  const prepare: Accounts['prepare'] = async (draft) => {
    const { email, name, isAdmin, password, organizationName } = draft;
    const parsed = parseEmail(email);
    if (!parsed.ok) return parsed;
    const named = name === undefined ? done(parsed.value) : parseName('account', name);
    if (!named.ok) return named;
    const owner = { email: parsed.value, organizationName };
    const accepted = password === undefined ? undefined : await deps.checkNewPassword(password, owner);
    if (accepted?.ok === false) return accepted;
    const hashed = accepted && (await deps.passwords.hash(accepted.value, `new ${parsed.value}`));
    if (hashed?.ok === false) return hashed;
    return done({ email: parsed.value, name: named.value, isAdmin, passwordHash: hashed?.value });
  };

  return {
    async create(draft) {
      const account = await prepare(draft);
      return account.ok ? deps.store.create(account.value, deps.clock()) : account;
    },
    prepare,
    list: () => deps.store.list(),
    byEmail,
    async setPassword(email, password) {
      const account = await byEmail(email);
      if (!account.ok) return account;
      const { id } = account.value;
      const owner = { email: account.value.email, accountId: id };
      const accepted = await deps.checkNewPassword(password, owner);
      if (!accepted.ok) return accepted;
      // Not the place of the account itself: whoever acts from its sessions must not keep this one waiting.
      const hashed = await deps.passwords.hash(accepted.value, `from outside ${id}`);
      if (!hashed.ok) return hashed;
      await deps.store.setPasswordHash(id, hashed.value);
      return account;
    },
  };
}
