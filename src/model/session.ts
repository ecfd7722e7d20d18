import type { Brand } from '../lib/brand.ts';
import { type Instant, MINUTE } from '../lib/time.ts';
import type { Account, AccountId } from './account.ts';

export type SessionId = Brand<number, 'SessionId'>;

/** Somebody who signed in, from one browser. The cookie holds its secret; only the SHA-256 of that is kept. */
export type Session = {
  readonly id: SessionId;
  readonly accountId: AccountId;
  /** The password was right and a code is still wanted: until then the session opens nothing. */
  readonly awaitsCode: boolean;
  readonly createdAt: Instant;
  /** To the minute. */
  readonly seenAt: Instant;
  /** When the password was last given. */
  readonly confirmedAt: Instant;
  /** The address that was last seen, as the server sees it, IPv6 as its /64; empty where it was not known. */
  readonly address: string;
  /** What the browser says of itself, at most 256 characters. */
  readonly browser: string;
};

/** How long sessions live, in milliseconds. */
export type SessionLimits = {
  /** Without being seen. */
  readonly idleMs: number;
  /** In all. */
  readonly absoluteMs: number;
};

/** Sessions that an account has at most, and as many that await a code: those that were seen last stay. */
export const SESSIONS_MAX = 50;

/** How long a session may wait for its code. */
const CODE_WAIT_MS = 10 * MINUTE;

/** How long a password that was given holds for sensitive acts. */
export const FRESH_MS = 15 * MINUTE;

/** Whether a session still lives. */
export function isLive(session: Session, limits: SessionLimits, now: Instant): boolean {
  if (session.awaitsCode) return now < session.createdAt + CODE_WAIT_MS;
  return now < session.seenAt + limits.idleMs && now < session.createdAt + limits.absoluteMs;
}

/** Whether the password was given recently enough for a sensitive act. */
export function isFresh({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Instant): boolean {
  return now < confirmedAt + FRESH_MS;
}

/** Whence somebody acts: what a request says of itself. */
export type ClientInfo = {
  /** In full, for the audit log. */
  readonly address: string | undefined;
  /** What failures and sessions go by: IPv6 as its /64. Where it is absent, the address itself. */
  readonly client?: string | undefined;
  readonly browser: string;
};

/** @returns what failures and sessions go by; empty where it is not known */
export function clientOf({ address, client = address }: ClientInfo): string {
  return client ?? '';
}

/** An account with a session of its own. */
export type SignedIn = { readonly account: Account; readonly session: Session };
