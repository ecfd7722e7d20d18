import { done, type Outcome, reject } from '../../lib/outcome.ts';
import { fetchPage, type Page } from '../../lib/page.ts';
import type { Clock } from '../../lib/time.ts';
import type { Account, AccountId, AccountSummary } from '../../model/account.ts';
import type { Actor } from '../../model/actor.ts';
import { isNameSized } from '../../model/name.ts';
import { parsePlanName } from '../../model/plan.ts';
import type { AccountStore } from '../../model/ports/account.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import type { SessionId } from '../../model/session.ts';

export type UserProblem = 'admin-only' | 'account-unknown' | 'admin-last';

export type Users = {
  /** Oldest first. @param query text: a part of the address or the name, "" for all; limit at least 1 */
  readonly search: (
    actor: Actor,
    query: { readonly text: string; readonly offset: number; readonly limit: number },
  ) => Promise<Outcome<Page<AccountSummary>, 'admin-only'>>;
  readonly byId: (
    actor: Actor,
    id: AccountId,
  ) => Promise<Outcome<AccountSummary, 'admin-only' | 'account-unknown'>>;
  /**
   * A disabled user cannot sign in and its API keys stop at once; its organizations and their sites go on. Tasks that
   * it started and that are not done are refused.
   */
  readonly disable: (actor: Actor, id: AccountId) => Promise<Outcome<Account, UserProblem>>;
  readonly enable: (actor: Actor, id: AccountId) => Promise<Outcome<Account, UserProblem>>;
  readonly setAdmin: (
    actor: Actor,
    id: AccountId,
    isAdmin: boolean,
  ) => Promise<Outcome<Account, UserProblem>>;
  readonly setPlan: (
    actor: Actor,
    id: AccountId,
    plan: string,
  ) => Promise<Outcome<Account, 'admin-only' | 'account-unknown' | 'plan-unknown'>>;
  /** Ends every session of a user. @returns how many */
  readonly endSessions: (
    actor: Actor,
    id: AccountId,
  ) => Promise<
    Outcome<{ readonly account: Account; readonly ended: number }, 'admin-only' | 'account-unknown'>
  >;
  /** Ends every session of every user. @param kept the session of the administrator who asks @returns how many */
  readonly endAllSessions: (actor: Actor, kept?: SessionId) => Promise<Outcome<number, 'admin-only'>>;
};

/** Use cases of administrators around other people. */
export function createUsers(deps: {
  readonly store: AccountStore;
  readonly sessions: Pick<SessionStore, 'endAll' | 'endEvery'>;
  readonly clock: Clock;
}): Users {
  const { store, sessions, clock } = deps;
  return {
    async search(actor, { text, offset, limit }) {
      if (!actor.isAdmin) return reject('admin-only');
      // No address and no name is that long.
      if (!isNameSized(text)) return done({ items: [], hasMore: false });
      return done(await fetchPage(limit, (upTo) => store.search(text.trim(), { offset, limit: upTo })));
    },
    async byId(actor, id) {
      if (!actor.isAdmin) return reject('admin-only');
      const account = await store.summaryOf(id);
      return account === undefined ? reject('account-unknown') : done(account);
    },
    async disable(actor, id) {
      return actor.isAdmin ? store.setDisabled(id, clock()) : reject('admin-only');
    },
    async enable(actor, id) {
      return actor.isAdmin ? store.setDisabled(id, undefined) : reject('admin-only');
    },
    async setAdmin(actor, id, isAdmin) {
      return actor.isAdmin ? store.setAdmin(id, isAdmin) : reject('admin-only');
    },
    async setPlan(actor, id, plan) {
      if (!actor.isAdmin) return reject('admin-only');
      const name = parsePlanName(plan);
      return name.ok ? store.setPlan(id, name.value) : reject('plan-unknown');
    },
    async endSessions(actor, id) {
      if (!actor.isAdmin) return reject('admin-only');
      const account = await store.byId(id);
      if (account === undefined) return reject('account-unknown');
      return done({ account, ended: await sessions.endAll(id) });
    },
    async endAllSessions(actor, kept) {
      return actor.isAdmin ? done(await sessions.endEvery(kept)) : reject('admin-only');
    },
  };
}
