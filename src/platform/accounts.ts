import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { type Account, parseEmail, parsePassword } from '../model/account.ts';
import { type NameProblem, parseName } from '../model/name.ts';
import type { AccountStore, NewAccount } from '../model/ports.ts';

/**
 * argon2id (the library's default algorithm, version 0x13) with the first choice of the OWASP Password Storage Cheat
 * Sheet: 19 MiB, two passes, one lane.
 */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Loaded where a password is set, and only there: its native part is unpacked into the temporary folder. */
async function hashOf(password: string): Promise<string> {
  const { hash } = await loadArgon2();
  return hash(password, ARGON2ID);
}

/** @throws with what an operator can do about it: the library's own words are about npm */
async function loadArgon2() {
  try {
    return await import('@node-rs/argon2');
  } catch (cause) {
    const wants =
      'the temporary folder (TMPDIR, else /tmp) must be writable and not mounted noexec, and libgcc_s installed';
    throw new Error(`passwords cannot be hashed here, because the native library was not loaded: ${wants}`, {
      cause,
    });
  }
}

type PasswordProblem = 'password-too-short' | 'password-too-long';
export type AccountProblem = 'email-malformed' | 'email-taken' | NameProblem<'account'> | PasswordProblem;

export type AccountDraft = {
  readonly email: string;
  readonly name: string | undefined;
  readonly isAdmin: boolean;
  readonly password: string | undefined;
};

export type Accounts = {
  /** Without a name the e-mail address is the name; without a password the account cannot sign in until one is set. */
  readonly create: (draft: AccountDraft) => Promise<Outcome<Account, AccountProblem>>;
  /** The same, as far as it goes without the store: judges, and hashes the password. */
  readonly prepare: (draft: AccountDraft) => Promise<Outcome<NewAccount, AccountProblem>>;
  readonly list: () => Promise<readonly Account[]>;
  readonly byEmail: (email: string) => Promise<Outcome<Account, 'account-unknown'>>;
  readonly setPassword: (
    email: string,
    password: string,
  ) => Promise<Outcome<Account, 'account-unknown' | PasswordProblem>>;
};

/** Use cases around people. */
export function createAccounts(deps: { readonly store: AccountStore; readonly clock: Clock }): Accounts {
  async function byEmail(email: string): Promise<Outcome<Account, 'account-unknown'>> {
    const parsed = parseEmail(email);
    const account = parsed.ok ? await deps.store.byEmail(parsed.value) : undefined;
    return account === undefined ? refuse('account-unknown') : done(account);
  }

  async function prepare(draft: AccountDraft): Promise<Outcome<NewAccount, AccountProblem>> {
    const { email, name, isAdmin, password } = draft;
    const parsed = parseEmail(email);
    if (!parsed.ok) return parsed;
    const named = name === undefined ? done(parsed.value) : parseName('account', name);
    if (!named.ok) return named;
    const accepted = password === undefined ? undefined : parsePassword(password);
    if (accepted?.ok === false) return accepted;
    const passwordHash = accepted && (await hashOf(accepted.value));
    return done({ email: parsed.value, name: named.value, isAdmin, passwordHash });
  }

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
      const accepted = parsePassword(password);
      if (!accepted.ok) return accepted;
      await deps.store.setPasswordHash(account.value.id, await hashOf(accepted.value));
      return account;
    },
  };
}
