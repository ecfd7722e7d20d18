import { type Awaitable, attempt, chain } from '../lib/awaitable.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { type Principal, parseApiKey, type Scope } from '../model/apiKey.ts';
import type { PrincipalLookup } from '../model/ports/apiKey.ts';
import type { KeyOutcome } from '../model/statistics.ts';
import { sha256Hex } from '../sha256.ts';
import type { RateLimitState } from './rateLimit.ts';

export type KeyProblem = 'key-not-accepted' | 'scope-not-enough' | 'key-unreadable';

/** The reason for a rejection. `not-accepted`: invalid, unknown, revoked, expired, or owned by a disabled user. */
export type KeyRejection = 'missing' | 'not-accepted' | 'wrong-scope';

export type Admitted = { readonly principal: Principal; readonly rateLimit: RateLimitState };

/** @see createKeyGuard */
export type KeyGuard = ReturnType<typeof createKeyGuard>;

export type KeyGuardDeps = {
  /** The scope that keys must have; undefined to accept all scopes. */
  readonly scope: Scope | undefined;
  readonly principals: PrincipalLookup;
  readonly clock: Clock;
  /** Counts one request against the rate limit that applies to this key. */
  readonly take: (principal: Principal) => RateLimitState;
  /** Counts the outcome of a request. */
  readonly count: (principal: Principal, outcome: KeyOutcome) => void;
  /** Called for every accepted key. */
  readonly onUse: (principal: Principal) => void;
  /** Called for every rejected key, but not if the key could not be read from the database. */
  readonly onRejected: (reason: KeyRejection, request: Request) => void;
  readonly onFailure: (error: unknown) => void;
};

/**
 * Creates the check of API keys: a key must be valid, known, not revoked, not expired, and have the scope. A replaced secret is accepted
 * for a limited time. The guard counts requests above the rate limit; the caller counts the outcome of all others with `countOutcome`.
 */
export function createKeyGuard(deps: KeyGuardDeps) {
  const { scope, principals, clock, take, count, onUse, onRejected, onFailure } = deps;

  function check(principal: Principal | undefined): Outcome<Principal, KeyProblem> {
    if (principal === undefined || isExpired(principal)) return reject('key-not-accepted');
    const isInScope = scope === undefined || principal.scope === scope;
    return isInScope ? done(principal) : reject('scope-not-enough');
  }

  function isExpired({ expiresAt }: Principal): boolean {
    return expiresAt !== undefined && expiresAt <= clock();
  }

  function failed(error: unknown): Outcome<Principal, KeyProblem> {
    onFailure(error);
    return reject('key-unreadable');
  }

  /**
   * Finds and checks a key without counting a request against its rate limit.
   *
   * @returns `key-unreadable` if the key is not cached and the database cannot be read
   */
  function readKey(key: string | null): Awaitable<Outcome<Principal, KeyProblem>> {
    const parsed = parseApiKey(key ?? '');
    if (!parsed.ok) return reject('key-not-accepted');
    return attempt(() => principals.byKeyHash(sha256Hex(parsed.value)), check, failed);
  }

  function admit(
    read: Outcome<Principal, KeyProblem>,
    key: string | null,
    request: Request,
  ): Outcome<Admitted, KeyProblem> {
    if (!read.ok) {
      if (read.problem === 'scope-not-enough') onRejected('wrong-scope', request);
      else if (read.problem === 'key-not-accepted') onRejected(key ? 'not-accepted' : 'missing', request);
      return read;
    }
    const principal = read.value;
    onUse(principal);
    const rateLimit = take(principal);
    if (!rateLimit.isAllowed) count(principal, 'limited');
    return done({ principal, rateLimit });
  }

  /** Like `readKey`, but counts one request against the rate limit that applies to the key. @param request for the log */
  function requireKey(key: string | null, request: Request): Awaitable<Outcome<Admitted, KeyProblem>> {
    return chain(readKey(key), (read) => admit(read, key, request));
  }

  /** Counts the outcome of a request that did not exceed the rate limit. */
  function countOutcome(principal: Principal, isAccepted: boolean): void {
    count(principal, isAccepted ? 'accepted' : 'rejected');
  }

  return { readKey, requireKey, countOutcome };
}
