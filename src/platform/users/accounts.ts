import { done, type Outcome, reject } from '../../lib/outcome.ts';
import type { Clock } from '../../lib/time.ts';
import { type Account, parseEmail } from '../../model/account.ts';
import type { Actor, SystemActor } from '../../model/actor.ts';
import { type NameProblem, parseName } from '../../model/name.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { AccountStore, NewAccount } from '../../model/ports/account.ts';
import type { EntryFor } from '../audit.ts';
import type { CheckNewPassword } from '../authentication/newPassword.ts';
import type { Passwords } from '../authentication/passwords.ts';

export type DraftProblem = 'email-malformed' | 'passwords-busy' | NameProblem<'account'> | NewPasswordProblem;

export type AccountDraft = {
  readonly email: string;
  /** The email address if undefined. */
  readonly name: string | undefined;
  readonly isAdmin: boolean;
  /** If undefined, the user cannot sign in until a password is set. */
  readonly password: string | undefined;
  /** Name of the organization that the user joins, if any; the password must not be based on it. */
  readonly organizationName?: string;
};

/** Use cases that create and find users. */
export type Accounts = {
  /** For administrators and the command line. */
  readonly create: (
    actor: Actor,
    draft: AccountDraft,
  ) => Promise<Outcome<Account, DraftProblem | 'admin-only' | 'email-taken'>>;
  /** Parses the draft of a new user and hashes the password, without storing anything. */
  readonly prepare: (draft: AccountDraft) => Promise<Outcome<NewAccount, DraftProblem>>;
  /** All users, oldest first. */
  readonly list: (actor: SystemActor) => Promise<readonly Account[]>;
  readonly byEmail: (actor: SystemActor, email: string) => Promise<Outcome<Account, 'account-unknown'>>;
  /** Ends all sessions of the user. Only the command line sets passwords of other users. */
  readonly setPassword: (
    actor: SystemActor,
    email: string,
    password: string,
  ) => Promise<Outcome<Account, 'account-unknown' | 'passwords-busy' | NewPasswordProblem>>;
};

/** @see Accounts */
export function createAccounts(deps: {
  readonly store: AccountStore;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
}): Accounts {
  async function find(email: string): Promise<Outcome<Account, 'account-unknown'>> {
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
    async create(actor, draft) {
      if (!actor.isAdmin) return reject('admin-only');
      const prepared = await prepare(draft);
      if (!prepared.ok) return prepared;
      const { email, isAdmin } = prepared.value;
      // Entries of commands have only the email address.
      const subject = isAdmin && actor.source === 'portal' ? `${email}, an administrator` : email;
      const entry = await deps.entryFor(actor, { action: 'user-created', subject });
      return deps.store.create(prepared.value, deps.clock(), entry);
    },
    prepare,
    list: () => deps.store.list(),
    byEmail: (_, email) => find(email),
    async setPassword(actor, email, password) {
      const account = await find(email);
      if (!account.ok) return account;
      const { id } = account.value;
      const owner = { email: account.value.email, accountId: id };
      const accepted = await deps.checkNewPassword(password, owner);
      if (!accepted.ok) return accepted;
      // Not the key that the user's own sessions use, so that they cannot block this.
      const hashed = await deps.passwords.hash(accepted.value, `from outside ${id}`);
      if (!hashed.ok) return hashed;
      const act = { action: 'password-changed', subject: account.value.email } as const;
      await deps.store.setPasswordHash(id, hashed.value, await deps.entryFor(actor, act));
      return account;
    },
  };
}
