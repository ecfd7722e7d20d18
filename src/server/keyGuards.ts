import { createKeyGuard, type KeyGuard } from '../http/apiKeyGuard.ts';
import { createRateLimit, createUserRateLimit, type RateLimitState } from '../http/rateLimit.ts';
import type { Principal, Scope } from '../model/apiKey.ts';
import { RECORD_CAPACITY } from './caches.ts';
import type { AppContext, CaptchaContext } from './context.ts';

/** Authenticates requests with API keys of the scope `verify`. Each key has its own rate limit. */
export function createVerifyKeyGuard(context: CaptchaContext): KeyGuard {
  const { config, clock, memory, meters, countSharing } = context;
  const limit = createRateLimit({
    rate: config.verifyRate,
    burst: config.verifyBurst,
    capacity: RECORD_CAPACITY,
    clock,
    onRejected: () => meters.rateLimits.add('verify'),
    share: countSharing.share('verifyLimit'),
    allocate: memory.allocate('key_rates'),
  });
  return createGuard(context, 'verify', (key) => limit.take(key.keyId, key));
}

/** Authenticates requests with API keys of the scope `portal`, which share the rate limit of their user or organization. */
export function createPortalKeyGuard(context: AppContext): KeyGuard {
  const { config, clock, meters, countSharing } = context;
  const take = createUserRateLimit({
    rate: config.portalRate,
    burst: config.portalBurst,
    capacity: RECORD_CAPACITY,
    clock,
    onRejected: () => meters.rateLimits.add('portal'),
    shareUsers: countSharing.share('userLimit'),
    shareKeys: countSharing.share('portalKeyLimit'),
  });
  return createGuard(context, 'portal', take);
}

/** Requests of each key about the key itself: 10 at once, and one every 10 seconds. Nodes count separately. */
const OWN_REQUESTS = { rate: 0.1, burst: 10 } as const;

/** Authenticates requests about the API key itself, with keys of both scopes. */
export function createOwnKeyGuard(context: AppContext): KeyGuard {
  const { clock, meters } = context;
  const onRejected = () => meters.rateLimits.add('portal');
  const limit = createRateLimit({ ...OWN_REQUESTS, capacity: RECORD_CAPACITY, clock, onRejected });
  return createGuard(context, undefined, ({ keyId }) => limit.take(keyId));
}

function createGuard(
  { clock, caches, services, securityLog, usageRecording }: CaptchaContext,
  scope: Scope | undefined,
  take: (key: Principal) => RateLimitState,
): KeyGuard {
  return createKeyGuard({
    scope,
    principals: { byKeyHash: caches.principals.get },
    clock,
    take,
    count: ({ keyId }, outcome) => usageRecording.countKey(keyId, outcome, clock()),
    onUse: services.keyUses.record,
    onRejected: (reason, request) =>
      securityLog.record('api-key-rejected', request, `${scope ?? 'any'}: ${reason}`),
    onFailure: caches.reportFailure,
  });
}
