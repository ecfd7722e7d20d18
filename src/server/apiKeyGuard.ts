import { createReadApiKey, createRequireKey, type KeyRejection } from '../http/apiKeyGuard.ts';
import { createRateLimit, createUserRateLimit, type RateLimitState } from '../http/rateLimit.ts';
import type { Principal, Scope } from '../model/apiKey.ts';
import type { AppContext } from './appContext.ts';
import { RECORD_CAPACITY } from './caches.ts';
import { sha256Hex } from './crypto.ts';

/** Authenticates requests with API keys of one scope, and limits their rate. */
export function createApiKeyGuard(context: AppContext, scope: Scope) {
  return createGuard(context, scope, createTakeToken(context, scope));
}

/** Requests of each key that change the key itself: 10 at once, and one every 10 seconds. Nodes count separately. */
const OWN_CHANGES = { rate: 0.1, burst: 10 } as const;

/** Authenticates requests that change the API key itself, with keys of both scopes. */
export function createOwnKeyGuard(context: AppContext) {
  const { clock, meters } = context;
  const onRejected = () => meters.rateLimits.add('portal');
  const limit = createRateLimit({ ...OWN_CHANGES, capacity: RECORD_CAPACITY, clock, onRejected });
  return createGuard(context, undefined, ({ keyId }) => limit.take(keyId));
}

function createGuard(
  { clock, caches, services, securityLog }: AppContext,
  scope: Scope | undefined,
  take: (key: Principal) => RateLimitState,
) {
  const principals = { byKeyHash: caches.principals.get };
  const deps = { principals, digest: sha256Hex, clock, onFailure: caches.reportFailure };
  const readKey = createReadApiKey(deps, scope);
  const onRejected = (reason: KeyRejection, request: Request) =>
    securityLog.record('api-key-rejected', request, `${scope ?? 'rotation'}: ${reason}`);
  return {
    readKey,
    requireKey: createRequireKey({ readKey, take, onUse: services.keyUses.record, onRejected }),
  };
}

/** Each `verify` key has its own rate limit; `portal` keys share the rate limit of their user or organization. */
function createTakeToken(
  { config, clock, memory, meters, countSharing }: AppContext,
  scope: Scope,
): (key: Principal) => RateLimitState {
  const common = { capacity: RECORD_CAPACITY, clock, onRejected: () => meters.rateLimits.add(scope) };
  if (scope === 'portal') {
    return createUserRateLimit({
      rate: config.portalRate,
      burst: config.portalBurst,
      ...common,
      shareUsers: countSharing.share('userLimit'),
      shareKeys: countSharing.share('portalKeyLimit'),
    });
  }
  const limit = createRateLimit({
    rate: config.verifyRate,
    burst: config.verifyBurst,
    ...common,
    share: countSharing.share('verifyLimit'),
    allocate: memory.allocate('key_rates'),
  });
  return (key) => limit.take(key.keyId, key);
}
