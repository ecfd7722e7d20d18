import { done, type Outcome, reject, valueOrUndefined } from '../../lib/outcome.ts';
import { fetchPage, type Page } from '../../lib/page.ts';
import type { Clock } from '../../lib/time.ts';
import type { Account, AccountId, AccountSummary } from '../../model/account.ts';
import type { Actor, SystemActor } from '../../model/actor.ts';
import type { AuditAction, AuditEntry } from '../../model/audit.ts';
import { type EmailProblem, parseEmail } from '../../model/email.ts';
import { isNameSized } from '../../model/name.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import { parsePlanName } from '../../model/plan.ts';
import type { AccountSlice, AccountStore } from '../../model/ports/account.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import type { SessionId } from '../../model/session.ts';
import type { EntryFor } from '../audit.ts';
import type { CheckNewPassword } from '../authentication/ownPassword.ts';
import type { Passwords } from '../authentication/passwords.ts';
import { findByEmail, type NewUserProblem, type PrepareUser, type UserDraft } from './newUser.ts';

type AccessProblem = 'admin-only' | 'account-unknown';
type ChangeProblem = AccessProblem | 'admin-last';

/** Use cases for managing users, for administrators and the command line. */
export type Users = {
  create(
    actor: Actor,
    draft: UserDraft,
  ): Promise<Outcome<Account, NewUserProblem | 'admin-only' | 'email-taken'>>;
  /** Lists all users, oldest first. */
  list(actor: SystemActor): Promise<readonly Account[]>;
  /** Lists users, oldest first. @param query text: a part of the email address or the name, "" for all users; limit: at least 1 */
  search(
    actor: Actor,
    query: AccountSlice & { readonly text: string },
  ): Promise<Outcome<Page<AccountSummary>, 'admin-only'>>;
  byId(actor: Actor, id: AccountId): Promise<Outcome<AccountSummary, AccessProblem>>;
  byEmail(actor: SystemActor, email: string): Promise<Outcome<Account, 'account-unknown'>>;
  /**
   * A disabled user cannot sign in, and the user's API keys stop working immediately. The user's organizations and properties keep
   * working. Tasks that the user submitted and that are not finished are rejected.
   */
  disable(actor: Actor, id: AccountId): Promise<Outcome<Account, ChangeProblem>>;
  enable(actor: Actor, id: AccountId): Promise<Outcome<Account, ChangeProblem>>;
  setAdmin(actor: Actor, id: AccountId, isAdmin: boolean): Promise<Outcome<Account, ChangeProblem>>;
  setPlan(
    actor: Actor,
    id: AccountId,
    plan: string,
  ): Promise<Outcome<Account, AccessProblem | 'plan-unknown'>>;
  /** Sets the password and ends all sessions of the user. Only the command line sets passwords of other users. */
  setPassword(
    actor: SystemActor,
    email: string,
    password: string,
  ): Promise<Outcome<Account, 'account-unknown' | 'passwords-busy' | NewPasswordProblem>>;
  /** Changes the email address. Sessions, API keys, and invitations for the old address do not change. */
  setEmail(
    actor: SystemActor,
    id: AccountId,
    email: string,
  ): Promise<Outcome<Account, AccessProblem | EmailProblem | 'email-taken'>>;
  /** @see AccountStore */
  normalizeEmails(actor: SystemActor): Promise<number>;
  /** Ends all sessions of a user. @returns their number */
  endSessions(actor: Actor, id: AccountId): Promise<Outcome<number, AccessProblem>>;
  /** Ends all sessions of all users. @param kept the session of the administrator, which continues @returns their number */
  endAllSessions(actor: Actor, kept?: SessionId): Promise<Outcome<number, 'admin-only'>>;
};

export type UsersDeps = {
  readonly store: AccountStore;
  readonly sessionStore: Pick<SessionStore, 'endAll' | 'endEvery'>;
  readonly prepareUser: PrepareUser;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
};

/** @see Users */
export function createUsers(deps: UsersDeps): Users {
  const lookups = createLookups(deps);
  return { ...lookups, ...createPasswordUseCases(deps, lookups), ...createChanges(deps) };
}

type Lookups = Pick<Users, 'list' | 'normalizeEmails' | 'search' | 'byId' | 'byEmail'>;

function createLookups({ store }: UsersDeps): Lookups {
  return {
    list: () => store.list(),
    normalizeEmails: () => store.normalizeEmails(),
    async search(actor, { text, limit, ...slice }) {
      if (!actor.isAdmin) return reject('admin-only');
      // No email address or name is longer.
      if (!isNameSized(text)) return done({ items: [], hasMore: false });
      // A complete address is found in each of its spellings.
      const wanted = valueOrUndefined(parseEmail(text)) ?? text.trim();
      return done(await fetchPage(limit, (upTo) => store.search(wanted, { ...slice, limit: upTo })));
    },
    async byId(actor, id) {
      if (!actor.isAdmin) return reject('admin-only');
      const account = await store.summaryOf(id);
      return account === undefined ? reject('account-unknown') : done(account);
    },
    async byEmail(_, email) {
      const account = await findByEmail(email, store.byEmail);
      return account === undefined ? reject('account-unknown') : done(account);
    },
  };
}

type PasswordUseCases = Pick<Users, 'create' | 'setPassword'>;

function createPasswordUseCases(deps: UsersDeps, { byEmail }: Lookups): PasswordUseCases {
  const { store, entryFor } = deps;
  return {
    async create(actor, draft) {
      if (!actor.isAdmin) return reject('admin-only');
      const prepared = await deps.prepareUser(draft);
      if (!prepared.ok) return prepared;
      const { email, isAdmin } = prepared.value;
      const object = isAdmin && actor.source === 'portal' ? `${email}, an administrator` : email;
      const entry = await entryFor(actor, { action: 'user-created', object });
      return store.create(prepared.value, deps.clock(), entry);
    },
    async setPassword(actor, email, password) {
      const account = await byEmail(actor, email);
      if (!account.ok) return account;
      const { id, email: object } = account.value;
      const accepted = await deps.checkNewPassword(password, { email: object, accountId: id });
      if (!accepted.ok) return accepted;
      // Not the key that the user's sessions use, so that they cannot block this operation.
      const hashed = await deps.passwords.hash(accepted.value, `from outside ${id}`);
      if (!hashed.ok) return hashed;
      const entry = await entryFor(actor, { action: 'password-changed', object });
      await store.setPasswordHash(id, hashed.value, entry);
      return account;
    },
  };
}

type Changes = Omit<Users, keyof Lookups | keyof PasswordUseCases>;

function createChanges({ store, sessionStore, entryFor, clock }: UsersDeps): Changes {
  /** Checks access, and makes a change with its audit log entry. @param detailOf what follows the email address in the entry */
  async function change<T, Problem extends string>(
    actor: Actor,
    id: AccountId,
    { action, detailOf }: { readonly action: AuditAction; readonly detailOf?: (account: Account) => string },
    make: (entry: AuditEntry | undefined) => Promise<Outcome<T, Problem>>,
  ): Promise<Outcome<T, Problem | AccessProblem>> {
    if (!actor.isAdmin) return reject('admin-only');
    const account = await store.byId(id);
    if (account === undefined) return reject('account-unknown');
    return make(await entryFor(actor, { action, object: account.email + (detailOf?.(account) ?? '') }));
  }

  return {
    disable: (actor, id) =>
      change(actor, id, { action: 'user-disabled' }, (entry) => store.setDisabled(id, clock(), entry)),
    enable: (actor, id) =>
      change(actor, id, { action: 'user-enabled' }, (entry) => store.setDisabled(id, undefined, entry)),
    setAdmin: (actor, id, isAdmin) =>
      change(actor, id, { action: isAdmin ? 'admin-added' : 'admin-removed' }, (entry) =>
        store.setAdmin(id, isAdmin, entry),
      ),
    async setPlan(actor, id, plan) {
      const name = parsePlanName(plan);
      if (!name.ok) return reject(actor.isAdmin ? 'plan-unknown' : 'admin-only');
      const detailOf = ({ plan: before }: Account) =>
        before === name.value ? `: ${before}` : `: ${before} -> ${name.value}`;
      return change(actor, id, { action: 'user-plan-set', detailOf }, (entry) =>
        store.setPlan(id, name.value, entry),
      );
    },
    async setEmail(actor, id, email) {
      const parsed = parseEmail(email);
      if (!parsed.ok) return parsed;
      const detailOf = () => ` to ${parsed.value}`;
      return change(actor, id, { action: 'user-email-changed', detailOf }, (entry) =>
        store.setEmail(id, parsed.value, entry),
      );
    },
    endSessions: (actor, id) =>
      change(actor, id, { action: 'sessions-ended' }, async (entry) =>
        done(await sessionStore.endAll(id, entry)),
      ),
    async endAllSessions(actor, kept) {
      if (!actor.isAdmin) return reject('admin-only');
      const entry = await entryFor(actor, { action: 'sessions-ended', object: 'everyone' });
      return done(await sessionStore.endEvery(kept, entry));
    },
  };
}
