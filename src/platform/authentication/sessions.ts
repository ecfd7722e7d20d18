import { newToken, type Random } from '../../lib/ids.ts';
import { done, type Outcome } from '../../lib/outcome.ts';
import { type Clock, later, MINUTE } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import { portalActor } from '../../model/actor.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Email } from '../../model/email.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import {
  type ClientInfo,
  clientOf,
  describeSession,
  isLive,
  type Session,
  type SessionActor,
  type SessionLimits,
  type SignedIn,
} from '../../model/session.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import { sha256Hex } from '../../sha256.ts';
import type { EntryFor } from '../audit.ts';
import type { Verified } from './passwordCheck.ts';

/** A session with its new secret, which only the browser receives. */
export type StartedSession = SignedIn & { readonly secret: string };

/** Use cases for the sessions of the portal (OWASP Session Management Cheat Sheet). */
export type Sessions = ReturnType<typeof createSessions>;

export type SessionsDeps = {
  readonly store: SessionStore;
  readonly limits: SessionLimits;
  readonly entryFor: EntryFor;
  readonly clock: Clock;
  readonly random: Random;
};

/** How precisely the store records when a session was seen, so that not every page requires a write. */
const SEEN_PRECISION = MINUTE;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const BROWSER_LENGTH = 256;

/** @see Sessions */
export function createSessions(deps: SessionsDeps) {
  const { store, limits, entryFor, clock } = deps;

  /** Ignores storage failures, so that pages are shown even if the storage is not writable. */
  async function touch(...seen: Parameters<SessionStore['touch']>): Promise<void> {
    try {
      await store.touch(...seen);
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  }

  async function find(secret: string, awaitsCode: boolean): Promise<SignedIn | undefined> {
    if (!SECRET.test(secret)) return undefined;
    const found = await store.bySecretHash(sha256Hex(secret));
    if (found === undefined || found.session.awaitsCode !== awaitsCode) return undefined;
    if (found.account.disabledAt !== undefined) return undefined;
    return isLive(found.session, limits, clock()) ? found : undefined;
  }

  return {
    ...createRenewals(deps),
    /** Finds the live session with this secret, and records that it was seen. */
    async open(secret: string, clientInfo: ClientInfo): Promise<SignedIn | undefined> {
      const address = clientOf(clientInfo);
      const found = await find(secret, false);
      if (found === undefined) return undefined;
      const { session } = found;
      const isRecorded = session.address === address && clock() < session.seenAt + SEEN_PRECISION;
      if (!isRecorded) await touch(session.id, address, clock());
      return found;
    },
    /** Finds the same session for a request that the user did not make, which does not extend the session. */
    peek: (secret: string): Promise<SignedIn | undefined> => find(secret, false),
    /** Finds the live session with this secret that awaits a code. */
    openAwaiting: (secret: string): Promise<SignedIn | undefined> => find(secret, true),
    /** Lists the live sessions of an account, most recently seen first. */
    async list({ id }: Pick<Account, 'id'>): Promise<readonly Session[]> {
      const all = await store.list(id);
      return all.filter((session) => !session.awaitsCode && isLive(session, limits, clock()));
    },
    /** Ends a session of the user. @returns false if the user has no such session */
    async end(actor: SessionActor, id: Session['id']): Promise<boolean> {
      const session = (await store.list(actor.user)).find((one) => one.id === id);
      if (session === undefined) return false;
      // The start of a session that awaits its code was not recorded.
      const entry = actor.session.awaitsCode
        ? undefined
        : await entryFor(actor, { action: 'session-ended', object: describeSession(session) });
      return store.end(id, actor.user, entry);
    },
    /** Ends all other sessions of the user. @returns their number */
    async endOthers(actor: SessionActor): Promise<number> {
      const audited = { action: 'session-ended', object: 'all other sessions' } as const;
      return store.endOthers(actor.session, await entryFor(actor, audited));
    },
    /** Counts the live sessions of all users. */
    count: (): Promise<number> =>
      store.countLive(later(clock(), -limits.idleMs), later(clock(), -limits.absoluteMs)),
    /** Deletes a batch of expired sessions. @returns their number; 0 if none are left */
    purge: (): Promise<number> =>
      store.purge(later(clock(), -limits.idleMs), later(clock(), -limits.absoluteMs)),
  };
}

/** The use cases that create the secret of a session. */
function createRenewals(deps: SessionsDeps) {
  const { store, entryFor, clock } = deps;

  function startEntry(account: Account, { address }: ClientInfo): Promise<AuditEntry | undefined> {
    return entryFor(portalActor(account, address), { action: 'session-started', object: '' });
  }

  async function create(
    { account, passwordHash }: Pick<Verified, 'account'> & Partial<Verified>,
    clientInfo: ClientInfo,
    awaitsCode: boolean,
  ): Promise<StartedSession | undefined> {
    const secret = newToken(deps.random);
    const browser = clientInfo.browser.slice(0, BROWSER_LENGTH);
    const draft = { accountId: account.id, awaitsCode, address: clientOf(clientInfo), browser };
    const entry = awaitsCode ? undefined : await startEntry(account, clientInfo);
    const session = await store.create(
      { ...draft, passwordHash, secretHash: sha256Hex(secret) },
      clock(),
      entry,
    );
    return session && { account, session, secret };
  }

  return {
    /** Starts a session without a password, for an account that was just created. */
    async start(account: Account, clientInfo: ClientInfo): Promise<StartedSession> {
      const started = await create({ account }, clientInfo, false);
      if (started === undefined) throw new Error('the account was disabled before its first session');
      return started;
    },
    /**
     * Starts a session after the password was verified.
     *
     * @param awaitsCode if true, the session gives no access until `complete`
     * @returns undefined if the account was disabled or the password changed in the meantime
     */
    startVerified: create,
    /**
     * Records that the password was entered again. The secret changes.
     *
     * @returns undefined if the session has ended or the password changed in the meantime
     */
    async confirm(
      { account, session }: SessionActor,
      passwordHash: string,
    ): Promise<StartedSession | undefined> {
      const secret = newToken(deps.random);
      const renewal = { secretHash: sha256Hex(secret), passwordHash };
      const confirmed = await store.confirm(session.id, renewal, clock());
      return confirmed && { account, session: confirmed, secret };
    },
    /**
     * Sets a new password, and ends all other sessions of the account. The secret changes.
     *
     * @returns undefined, without a change, if the session has ended or the verified password is no longer the current one
     */
    async changePassword(
      actor: SessionActor,
      { current, next }: { readonly current: string; readonly next: string },
    ): Promise<StartedSession | undefined> {
      const secret = newToken(deps.random);
      const renewal = { secretHash: sha256Hex(secret), passwordHash: next };
      const entry = await entryFor(actor, { action: 'password-changed', object: '' });
      const session = await store.changePassword(actor.session.id, renewal, current, entry);
      return session && { account: actor.account, session, secret };
    },
    /**
     * Sets a new email address, and ends all other sessions of the account. The secret changes.
     *
     * @param passwordHash the hash that the password matched
     * @returns rejected, without a change, if the session has ended, the password changed in the meantime, or the address is taken
     */
    async changeEmail(
      actor: SessionActor,
      email: Email,
      passwordHash: string,
    ): Promise<Outcome<StartedSession, 'session-over' | 'email-taken'>> {
      const secret = newToken(deps.random);
      const renewal = { secretHash: sha256Hex(secret), passwordHash };
      const object = `${actor.account.email} to ${email}`;
      const entry = await entryFor(actor, { action: 'user-email-changed', object });
      const changed = await store.changeEmail(actor.session.id, renewal, email, clock(), entry);
      return changed.ok ? done({ ...changed.value, secret }) : changed;
    },
    /** Completes a session after a correct code. The secret changes, so the old one gives no access. @returns undefined if it has ended */
    async complete(
      { account, session }: SignedIn,
      clientInfo: ClientInfo,
    ): Promise<StartedSession | undefined> {
      const secret = newToken(deps.random);
      const entry = await startEntry(account, clientInfo);
      const completed = await store.complete(session.id, sha256Hex(secret), clock(), entry);
      return completed && { account, session: completed, secret };
    },
  };
}
