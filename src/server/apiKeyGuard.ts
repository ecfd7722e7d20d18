import { createReadApiKey, createRequireKey, type KeyRejection } from '../http/apiKeyGuard.ts';
import { createRateLimit, createUserRateLimit, type RateLimitState } from '../http/rateLimit.ts';
import type { Principal, Scope } from '../model/apiKey.ts';
import type { AppContext } from './appContext.ts';
import { RECORD_CAPACITY } from './caches.ts';
import { sha256Hex } from './crypto.ts';

/** Authenticates requests with API keys of one scope, and limits their rate. */
export function createApiKeyGuard(context: AppContext, scope: Scope) {
  const { clock, caches, services, securityLog } = context;
  const principals = { byKeyHash: caches.principals.get };
  const deps = { principals, digest: sha256Hex, clock, onFailure: caches.reportFailure };
  const readKey = createReadApiKey(deps, scope);
  const take = createTakeToken(context, scope);
  const onRejected = (reason: KeyRejection, request: Request) =>
    securityLog.record('api-key-rejected', request, `${scope}: ${reason}`);
  return {
    readKey,
    requireKey: createRequireKey({ readKey, take, onUse: services.keyUses.record, onRejected }),
  };
}

/** Each `verify` key has its own rate limit; `portal` keys share the rate limit of their user. */
function createTakeToken(
  { config, clock, meters, countSharing }: AppContext,
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
  const share = countSharing.share('verifyLimit');
  const limit = createRateLimit({ rate: config.verifyRate, burst: config.verifyBurst, ...common, share });
  return (key) => limit.take(key.keyId, key);
}
