import type { Random } from '../../lib/ids.ts';
import { type Clock, later, MINUTE } from '../../lib/time.ts';
import type { Account } from '../../model/account.ts';
import type { AuditAction, RecordAudit } from '../../model/audit.ts';
import type { SessionStore } from '../../model/ports/session.ts';
import {
  type ClientInfo,
  clientOf,
  isLive,
  type Session,
  type SessionId,
  type SessionLimits,
  type SignedIn,
} from '../../model/session.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import type { Verified } from './passwordCheck.ts';

/** A session that was just begun, with the secret that its browser gets and nobody else has. */
export type Begun = SignedIn & { readonly secret: string };

export type Sessions = {
  /** For somebody who was not asked for a password: the account was made a moment ago. */
  readonly begin: (account: Account, clientInfo: ClientInfo, awaitsCode: boolean) => Promise<Begun>;
  /**
   * For somebody whose password was right.
   *
   * @param awaitsCode until `complete` the session opens nothing
   * @returns undefined where the account was disabled or the password changed meanwhile
   */
  readonly beginVerified: (
    verified: Verified,
    clientInfo: ClientInfo,
    awaitsCode: boolean,
  ) => Promise<Begun | undefined>;
  /** The password was given again. The secret changes. @returns undefined where the session is over, or the password changed meanwhile */
  readonly confirm: (signedIn: SignedIn, passwordHash: string) => Promise<Begun | undefined>;
  /**
   * Sets another password, and ends all other sessions of the account. The secret changes.
   *
   * @returns undefined if the session is over, or if the verified password is no longer the current one; then nothing was done
   */
  readonly changePassword: (
    signedIn: SignedIn,
    hashes: { readonly current: string; readonly next: string },
  ) => Promise<Begun | undefined>;
  /** The code was right. The secret changes, so that one that was known before opens nothing. @returns undefined where it is gone */
  readonly complete: (signedIn: SignedIn, clientInfo: ClientInfo) => Promise<Begun | undefined>;
  /** Whose session it is, where it lives; from now on it was seen. */
  readonly open: (secret: string, clientInfo: ClientInfo) => Promise<SignedIn | undefined>;
  /** The same of one that awaits its code. */
  readonly openAwaiting: (secret: string) => Promise<SignedIn | undefined>;
  /** Those that live, the one seen last first. */
  readonly list: (account: Pick<Account, 'id'>) => Promise<readonly Session[]>;
  /** @returns whether the account has such a session */
  readonly end: (who: SignedIn, id: SessionId, clientInfo: ClientInfo) => Promise<boolean>;
  readonly endOthers: (who: SignedIn, clientInfo: ClientInfo) => Promise<number>;
  /** Ends every session of an account, for whoever runs the installation. */
  readonly endAll: (account: Pick<Account, 'id'>) => Promise<number>;
  /** Forgets some of those that have lapsed. @returns how many; 0 when none is left */
  readonly purge: () => Promise<number>;
};

export type SessionsDeps = {
  readonly store: SessionStore;
  readonly limits: SessionLimits;
  readonly audit: RecordAudit;
  readonly clock: Clock;
  readonly random: Random;
  /** SHA-256, lower-case hex. */
  readonly digest: (text: string) => string;
};

/** How exactly it is kept when a session was seen: not every page is worth a write. */
const SEEN_PRECISION = MINUTE;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
const BROWSER_LENGTH = 256;

/** Who is signed in, where, and for how long (OWASP Session Management Cheat Sheet). */
export function createSessions(deps: SessionsDeps): Sessions {
  const { store, limits, clock, digest } = deps;

  const note = createNote(deps);

  /** That somebody was seen is worth no page: where it cannot be written down, reading goes on. */
  async function touch(...seen: Parameters<SessionStore['touch']>): Promise<void> {
    try {
      await store.touch(...seen);
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  }

  async function find(secret: string, awaitsCode: boolean): Promise<SignedIn | undefined> {
    if (!SECRET.test(secret)) return undefined;
    const found = await store.bySecretHash(digest(secret));
    if (found === undefined || found.session.awaitsCode !== awaitsCode) return undefined;
    if (found.account.disabledAt !== undefined) return undefined;
    return isLive(found.session, limits, clock()) ? found : undefined;
  }

  return {
    ...createBeginnings(deps),
    async complete({ account, session }, clientInfo) {
      const secret = newSecret(deps);
      const completed = await store.complete(session.id, digest(secret), clock());
      if (completed === undefined) return undefined;
      await note({ account }, 'session-started', clientInfo);
      return { account, session: completed, secret };
    },
    async open(secret, clientInfo) {
      const address = clientOf(clientInfo);
      const found = await find(secret, false);
      if (found === undefined) return undefined;
      const { session } = found;
      const isKnown = session.address === address && clock() < session.seenAt + SEEN_PRECISION;
      if (!isKnown) await touch(session.id, address, clock());
      return found;
    },
    openAwaiting: (secret) => find(secret, true),
    async list({ id }) {
      const all = await store.list(id);
      return all.filter((session) => !session.awaitsCode && isLive(session, limits, clock()));
    },
    async end(who, id, clientInfo) {
      const hasEnded = await store.end(id, who.account.id);
      // One that awaits its code was never noted as begun.
      if (hasEnded && !who.session.awaitsCode) await note(who, 'session-ended', clientInfo);
      return hasEnded;
    },
    async endOthers(who, clientInfo) {
      const ended = await store.endAll(who.account.id, who.session.id);
      if (ended > 0) await note(who, 'session-ended', clientInfo, 'all other sessions');
      return ended;
    },
    endAll: ({ id }) => store.endAll(id),
    purge: () => store.purge(later(clock(), -limits.idleMs), later(clock(), -limits.absoluteMs)),
  };
}

type Beginnings = Pick<Sessions, 'begin' | 'beginVerified' | 'confirm' | 'changePassword'>;

/** What gives a browser a secret, but for the code. */
function createBeginnings(deps: SessionsDeps): Beginnings {
  const { store, clock, digest } = deps;
  const note = createNote(deps);

  async function create(
    account: Account,
    passwordHash: string | undefined,
    clientInfo: ClientInfo,
    awaitsCode: boolean,
  ): Promise<Begun | undefined> {
    const secret = newSecret(deps);
    const browser = clientInfo.browser.slice(0, BROWSER_LENGTH);
    const draft = { accountId: account.id, awaitsCode, address: clientOf(clientInfo), browser };
    const session = await store.create({ ...draft, passwordHash, secretHash: digest(secret) }, clock());
    if (session === undefined) return undefined;
    if (!awaitsCode) await note({ account }, 'session-started', clientInfo);
    return { account, session, secret };
  }

  return {
    async begin(account, clientInfo, awaitsCode) {
      const begun = await create(account, undefined, clientInfo, awaitsCode);
      if (begun === undefined) throw new Error('the account was disabled before its first session');
      return begun;
    },
    beginVerified: ({ account, passwordHash }, clientInfo, awaitsCode) =>
      create(account, passwordHash, clientInfo, awaitsCode),
    async confirm({ account, session }, passwordHash) {
      const secret = newSecret(deps);
      const confirmed = await store.confirm(
        session.id,
        { secretHash: digest(secret), passwordHash },
        clock(),
      );
      return confirmed && { account, session: confirmed, secret };
    },
    async changePassword({ account, session }, { current, next }) {
      const secret = newSecret(deps);
      const renewal = { secretHash: digest(secret), passwordHash: next };
      const kept = await store.changePassword(session.id, renewal, current);
      return kept && { account, session: kept, secret };
    },
  };
}

/** 256 bits, as 43 characters of base64url. */
function newSecret({ random }: Pick<SessionsDeps, 'random'>): string {
  return random(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true });
}

function createNote({ audit }: Pick<SessionsDeps, 'audit'>) {
  return (
    { account }: Pick<SignedIn, 'account'>,
    action: AuditAction,
    { address }: ClientInfo,
    subject = '',
  ) => {
    const who = { accountId: account.id, actor: account.email, organizationId: undefined };
    return audit({ ...who, source: 'portal', address, action, subject });
  };
}
