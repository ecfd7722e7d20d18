import { type Awaitable, attempt, chain } from '../lib/awaitable.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { type Principal, parseApiKey, type Scope } from '../model/apiKey.ts';
import type { PrincipalLookup } from '../model/ports/apiKey.ts';
import type { RateLimitState } from './rateLimit.ts';

export type KeyProblem = 'key-not-accepted' | 'scope-not-enough' | 'key-unreadable';

/** The reason for a rejection. `not-accepted`: invalid, unknown, revoked, expired, or owned by a disabled user. */
export type KeyRejection = 'missing' | 'not-accepted' | 'wrong-scope';

export type Admitted = { readonly principal: Principal; readonly rateLimit: RateLimitState };

/** Finds and checks a key without counting a request against its rate limit. */
export type ReadKey = (key: string | null) => Awaitable<Outcome<Principal, KeyProblem>>;

/** @param request for the log, if the key is rejected */
export type RequireKey = (key: string | null, request: Request) => Awaitable<Outcome<Admitted, KeyProblem>>;

export type KeyReaderDeps = {
  readonly principals: PrincipalLookup;
  /** SHA-256 in lowercase hex. */
  readonly digest: (text: string) => string;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
};

export type GuardDeps = {
  readonly readKey: ReadKey;
  /** Counts one request against the rate limit that applies to this key. */
  readonly take: (principal: Principal) => RateLimitState;
  /** Called for every accepted key. */
  readonly onUse: (principal: Principal) => void;
  /** Called for every rejected key, but not if the key could not be read from the database. */
  readonly onRejected: (reason: KeyRejection, request: Request) => void;
};

/**
 * Creates the check of an API key: it must be valid, known, not revoked, not expired, and have this scope. A replaced secret is accepted
 * until its time is over.
 *
 * @param scope undefined to accept all scopes
 * @returns `key-unreadable` if the key is not cached and the database cannot be read
 */
export function createReadApiKey(deps: KeyReaderDeps, scope: Scope | undefined): ReadKey {
  function check(principal: Principal | undefined): Outcome<Principal, KeyProblem> {
    if (principal === undefined || isExpired(principal)) return reject('key-not-accepted');
    const isInScope = scope === undefined || principal.scope === scope;
    return isInScope ? done(principal) : reject('scope-not-enough');
  }

  function isExpired({ expiresAt }: Principal): boolean {
    return expiresAt !== undefined && expiresAt <= deps.clock();
  }

  function failed(error: unknown): Outcome<Principal, KeyProblem> {
    deps.onFailure(error);
    return reject('key-unreadable');
  }

  return (key) => {
    const parsed = parseApiKey(key ?? '');
    if (!parsed.ok) return reject('key-not-accepted');
    return attempt(() => deps.principals.byKeyHash(deps.digest(parsed.value)), check, failed);
  };
}

/** Like `readKey`, but counts one request against the rate limit that applies to the key. */
export function createRequireKey({ readKey, take, onUse, onRejected }: GuardDeps): RequireKey {
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
    return done({ principal, rateLimit: take(principal) });
  }

  return (key, request) => chain(readKey(key), (read) => admit(read, key, request));
}
