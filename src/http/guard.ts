import { done, type Outcome, refuse } from '../lib/outcome.ts';
import type { Clock } from '../lib/time.ts';
import { type ApiKeyId, type Principal, parseApiKey, type Scope } from '../model/apiKey.ts';
import type { Awaitable, PrincipalLookup } from '../model/ports.ts';
import type { RateLimit, Standing } from './rateLimit.ts';

export type KeyProblem = 'key-not-accepted' | 'scope-not-enough' | 'key-unreadable';

export type Admitted = { readonly principal: Principal; readonly standing: Standing };

export type RequireKey = (key: string | null) => Awaitable<Outcome<Admitted, KeyProblem>>;

export type GuardDeps = {
  readonly principals: PrincipalLookup;
  /** SHA-256 in lower-case hex. */
  readonly digest: (text: string) => string;
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
  /** Told of every key that is accepted. */
  readonly onUse: (id: ApiKeyId) => void;
};

/**
 * Who asks, and may they? The key must be well-formed, known, not revoked, not expired, and of this scope; then one
 * request is taken from its rate: the key's own, or the configured one.
 *
 * @returns `key-unreadable` where the database fails and memory does not know the key
 */
export function createRequireKey(deps: GuardDeps, scope: Scope, limit: RateLimit): RequireKey {
  function admit(principal: Principal | undefined): Outcome<Admitted, KeyProblem> {
    if (principal === undefined || isExpired(principal)) return refuse('key-not-accepted');
    if (principal.scope !== scope) return refuse('scope-not-enough');
    deps.onUse(principal.keyId);
    return done({ principal, standing: limit.take(principal.keyId, principal) });
  }

  function isExpired({ expiresAt }: Principal): boolean {
    return expiresAt !== undefined && expiresAt <= deps.clock();
  }

  function failed(error: unknown): Outcome<Admitted, KeyProblem> {
    deps.onFailure(error);
    return refuse('key-unreadable');
  }

  return (key) => {
    const parsed = parseApiKey(key ?? '');
    if (!parsed.ok) return refuse('key-not-accepted');
    let found: Awaitable<Principal | undefined>;
    try {
      found = deps.principals.byKeyHash(deps.digest(parsed.value));
    } catch (error) {
      return failed(error);
    }
    return found instanceof Promise ? found.then(admit, failed) : admit(found);
  };
}
