import { createIssuePuzzle, type IssuePuzzle } from '../captcha/issue.ts';
import { createReplayGuard } from '../captcha/replay.ts';
import { createVerifySolution, type VerifySolution } from '../captcha/verify.ts';
import { puzzleRoutes } from '../http/captcha/puzzle.ts';
import { siteverifyRoutes } from '../http/captcha/siteverify/siteverify.ts';
import { verifyRoutes } from '../http/captcha/verify.ts';
import { createRateLimit } from '../http/rateLimit.ts';
import { systemRandom } from '../lib/ids.ts';
import { reasonOf } from '../lib/log.ts';
import { createApiKeyGuard } from './apiKeyGuard.ts';
import type { AppContext } from './appContext.ts';
import { createAddressHash, createBlake2b, createHmac, sha256 } from './crypto.ts';

/** Maximum number of client addresses with a rate limit in memory. A new address replaces the least recently used one. */
export const CLIENT_CAPACITY = 100_000;

/** The routes `/puzzle`, `/verify`, `/siteverify`, and the paths of other vendors. */
export function createCaptchaRoutes(context: AppContext) {
  const { config, clock, meters, countSharing } = context;
  const { puzzleRate: rate, puzzleBurst: burst } = config;
  const onRejected = () => meters.rateLimits.add('puzzle');
  const share = countSharing.share('puzzleLimit');
  const limit = createRateLimit({ rate, burst, capacity: CLIENT_CAPACITY, clock, onRejected, share });
  meters.caches.set('client_rates', limit.readCache);
  const verification = {
    ...context,
    ...createApiKeyGuard(context, 'verify'),
    verify: createVerify(context),
  };
  return [
    puzzleRoutes({
      ...context,
      issue: createIssue(context),
      limit,
      hashAddress: createAddressHash(countSharing.addressSecrets, clock),
    }),
    verifyRoutes(verification),
    siteverifyRoutes({ ...verification, sha256, hasTestProperty: config.testProperty }),
  ];
}

function createIssue({ config, clock, caches, usageRecording }: AppContext): IssuePuzzle {
  return createIssuePuzzle({
    onFailure: caches.reportFailure,
    properties: { bySitekey: caches.properties.get },
    load: usageRecording.load,
    usage: usageRecording.usage,
    keyRing: caches.ring,
    hmac: createHmac(),
    clock,
    random: systemRandom,
    hasTestProperty: config.testProperty,
  });
}

function createVerify(context: AppContext): VerifySolution {
  const { config, clock, caches, usageRecording, ledger, log, services, replayCapacity, meters } = context;
  const guard = createReplayGuard(ledger, replayCapacity);
  meters.caches.set('replay_guard', guard.readCache);
  return createVerifySolution({
    usage: usageRecording.usage,
    properties: { bySitekey: caches.properties.get },
    guard,
    keyRing: caches.ring,
    hmac: createHmac(),
    hash: createBlake2b(),
    clock,
    isInMaintenance: services.maintenance.isOn,
    onFailure(source, error) {
      if (source === 'property') return caches.reportFailure(error);
      meters.storageFailures.add('claims');
      log.error('claim-failed', { reason: reasonOf(error) });
    },
    hasTestProperty: config.testProperty,
  });
}
