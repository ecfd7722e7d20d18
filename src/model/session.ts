import { toTruncatedNetwork } from '../lib/address.ts';
import type { Brand } from '../lib/outcome.ts';
import { type Instant, MINUTE } from '../lib/time.ts';
import type { Account, AccountId } from './account.ts';
import { portalActor, type UserActor } from './actor.ts';
import { browserFamilyOf, systemOf } from './browserFamilies.ts';

export type SessionId = Brand<number, 'SessionId'>;

/** A user's session in one browser. The cookie contains its secret, of which only the SHA-256 is stored. */
export type Session = {
  readonly id: SessionId;
  readonly accountId: AccountId;
  /** Whether a two-factor code is still required. Until it is entered, the session gives no access. */
  readonly awaitsCode: boolean;
  readonly createdAt: Instant;
  /** Time of the last request, accurate to the minute. */
  readonly seenAt: Instant;
  /** When the user last entered the password. */
  readonly confirmedAt: Instant;
  /** The client address of the last request, IPv6 as its /64 network; empty if it is unknown. */
  readonly address: string;
  /** The `User-Agent` header, at most 256 characters. */
  readonly browser: string;
};

/** The limits of sessions, in milliseconds. */
export type SessionLimits = {
  /** The idle timeout. */
  readonly idleMs: number;
  /** The maximum lifetime. */
  readonly absoluteMs: number;
};

/** Maximum number of an account's complete sessions, and of those that await a code. The least recently used sessions end. */
export const SESSIONS_MAX = 50;

/** How long a session can wait for its code. */
const CODE_WAIT_MS = 10 * MINUTE;

/** How long sensitive actions are allowed after the user has entered the password. */
export const FRESH_MS = 15 * MINUTE;

/**
 * Describes a session for the audit log.
 *
 * @returns `Firefox, Linux, 192.0.2.0/24`, without the parts that are unknown; the network is the /24, or the /48 for IPv6
 */
export function describeSession({ browser, address }: Pick<Session, 'browser' | 'address'>): string {
  const groups = /^[0-9a-f]{16}$/.test(address) ? address.match(/..../g) : null;
  const network = toTruncatedNetwork(groups === null ? address : `${groups.join(':')}::`);
  return [browserFamilyOf(browser), systemOf(browser), network]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** Whether a session has not expired. */
export function isLive(session: Session, limits: SessionLimits, now: Instant): boolean {
  if (session.awaitsCode) return now < session.createdAt + CODE_WAIT_MS;
  return now < session.seenAt + limits.idleMs && now < session.createdAt + limits.absoluteMs;
}

/** Whether the user has entered the password recently enough for a sensitive action. */
export function isFresh({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Instant): boolean {
  return now < confirmedAt + FRESH_MS;
}

/** The client that sent a request. */
export type ClientInfo = {
  /** The full address, for the audit log. */
  readonly address: string | undefined;
  /** The client for rate limits and sessions: the address, with IPv6 as its /64 network. By default the address itself. */
  readonly client?: string | undefined;
  readonly browser: string;
};

/** Returns the client for rate limits and sessions; empty if it is unknown. */
export function clientOf({ address, client = address }: ClientInfo): string {
  return client ?? '';
}

/** A signed-in account and its session. */
export type SignedIn = { readonly account: Account; readonly session: Session };

/** A user who is signed in to the portal. Only this actor can change the account itself; an API key cannot. */
export type SessionActor = UserActor &
  SignedIn & { readonly source: 'portal'; readonly clientInfo: ClientInfo };

/** The actor of a request with this session. */
export function sessionActor(signedIn: SignedIn, clientInfo: ClientInfo): SessionActor {
  return { ...portalActor(signedIn.account, clientInfo.address), ...signedIn, source: 'portal', clientInfo };
}
