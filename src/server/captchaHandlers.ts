import { type CheckHashwx, createHashwxWorkCheck } from '../captcha/hashwxCheck.ts';
import { createIssuePuzzle, type IssueDeps, type IssuePuzzle } from '../captcha/issue.ts';
import type { LoadMeter } from '../captcha/load.ts';
import { createPuzzleFailures } from '../captcha/puzzleFailures.ts';
import { createReplayGuard, type ReplayGuard } from '../captcha/replay.ts';
import { createDecide, type Decide } from '../captcha/rules/rulings.ts';
import { createVerifySolution, type VerifyDeps, type VerifySolution } from '../captcha/verify.ts';
import type { DialectRoutesDeps } from '../http/captcha/dialects/dialectRoutes.ts';
import type { CaptchaHandlers } from '../http/captcha/hotRoutes.ts';
import { createPuzzleHandlers, type OnEarlyRejection } from '../http/captcha/puzzle.ts';
import { createSitekeyCheckHandler } from '../http/captcha/sitekeyCheck.ts';
import { createSiteverifyRoutes } from '../http/captcha/siteverify/siteverify.ts';
import { createVerifyHandler } from '../http/captcha/verify.ts';
import { createRateLimit, type RateLimitState } from '../http/rateLimit.ts';
import { systemRandom } from '../lib/ids.ts';
import { reasonOf } from '../lib/log.ts';
import type { Sitekey } from '../model/property.ts';
import { createAddressHash } from './addressHashes.ts';
import { createBlake2bCheck } from './blake2b.ts';
import type { CaptchaContext } from './context.ts';
import { CLIENT_CAPACITY } from './context.ts';
import { createHashwxCheck } from './hashwx.ts';
import { createVerifyKeyGuard } from './keyGuards.ts';

/** The handlers of the hot path, and what the routes for the widgets of other products share with them. */
export type CaptchaParts = CaptchaHandlers & {
  readonly dialects: Omit<DialectRoutesDeps, 'offlineSecretOf'>;
};

/** Creates the handlers of `/puzzle`, `/verify`, `/siteverify`, and the paths of other vendors. */
export function createCaptchaHandlers(context: CaptchaContext): CaptchaParts {
  const { config, clock, memory, meters, countSharing, usageRecording, trafficRecording } = context;
  const recording = { ...usageRecording, traffic: trafficRecording.observer };
  const { puzzleRate: rate, puzzleBurst: burst } = config;
  const onRejected = () => meters.rateLimits.add('puzzle');
  const share = countSharing.share('puzzleLimit');
  const allocate = memory.allocate('client_rates');
  const limit = createRateLimit({
    rate,
    burst,
    capacity: CLIENT_CAPACITY,
    clock,
    onRejected,
    share,
    allocate,
  });
  meters.caches.set('client_rates', limit.readCache);
  const verification = {
    ...context,
    ...createVerifyKeyGuard(context),
    verify: createVerify(context, {
      ...recording,
      guard: createGuard(context),
      checkHashwx: createSharedHashwxCheck(context),
    }),
  };
  const visitors = {
    ...context,
    limit,
    hashAddress: createAddressHash(countSharing.addressSecrets, clock),
  };
  const issuing = {
    ...visitors,
    issue: createIssue(context, { ...recording, decide: createRequestRules(context) }),
    onEarlyRejection: createOnEarlyRejection(context),
  };
  const siteverification = { ...verification, hasTestProperty: config.testProperty };
  return {
    puzzle: createPuzzleHandlers(issuing),
    sitekeyCheck: createSitekeyCheckHandler({ ...visitors, issue: createTestIssue(context) }),
    verify: createVerifyHandler(verification),
    siteverify: createSiteverifyRoutes(siteverification),
    dialects: { ...issuing, ...siteverification, keyRing: context.caches.ring },
  };
}

/** Rejections of unknown properties are not recorded. A lookup in the database would cost more than the rejection itself. */
function createOnEarlyRejection({
  caches: { properties },
  trafficRecording: { observer },
  clock,
}: CaptchaContext): OnEarlyRejection | undefined {
  if (observer === undefined) return undefined;
  return (sitekey, reason, request) => {
    const property = properties.peek(sitekey);
    if (property !== undefined) observer.rejected(property, reason, { ...request, now: clock() });
  };
}

/** Creates the function that issues puzzles. */
function createIssue(
  { config, clock, caches }: CaptchaContext,
  { usage, load, decide, traffic }: Pick<IssueDeps, 'usage' | 'load' | 'decide' | 'traffic'>,
): IssuePuzzle {
  return createIssuePuzzle({
    onFailure: caches.reportFailure,
    properties: { bySitekey: caches.properties.get },
    rulesOf: caches.rulesOf,
    load,
    usage,
    traffic,
    decide,
    keyRing: caches.ring,
    clock,
    random: systemRandom,
    hasTestProperty: config.testProperty,
  });
}

function createRequestRules({ services, usageRecording }: CaptchaContext): Decide {
  const { countHit } = usageRecording;
  return createDecide({ geoip: services.geoip.find, countHit });
}

function createGuard({ ledger, replayCapacity, memory, meters }: CaptchaContext): ReplayGuard {
  const guard = createReplayGuard(ledger, replayCapacity, memory.allocate('replay_guard'));
  meters.caches.set('replay_guard', guard.readCache);
  return guard;
}

/** Creates the check of HashWX solutions, which shares the wrong payloads with other request threads. */
function createSharedHashwxCheck({ memory, meters }: CaptchaContext): CheckHashwx {
  const failures = createPuzzleFailures(memory.allocate('puzzle_failures'));
  return createHashwxWorkCheck({ open: createHashwxCheck(), failures, count: meters.hashwx.add });
}

/** Creates the function that verifies solutions. */
function createVerify(
  context: CaptchaContext,
  {
    usage,
    load,
    guard,
    traffic,
    checkHashwx,
  }: Pick<VerifyDeps, 'usage' | 'load' | 'guard' | 'traffic' | 'checkHashwx'>,
): VerifySolution {
  const { config, clock, caches, log, services, meters, argon2id } = context;
  return createVerifySolution({
    usage,
    load,
    traffic,
    properties: { bySitekey: caches.properties.get },
    guard,
    keyRing: caches.ring,
    checkBlake2b: createBlake2bCheck(),
    checkArgon2id: argon2id.check,
    checkHashwx,
    clock,
    isInMaintenance: services.maintenance.isOn,
    onFailure(source, error) {
      if (source === 'property') return caches.reportFailure(error);
      if (source === 'argon2id') return log.error('argon2id-failed', { reason: reasonOf(error) });
      meters.storageFailures.add('claims');
      log.error('claim-failed', { reason: reasonOf(error) });
    },
    hasTestProperty: config.testProperty,
  });
}

/** Number of claims of tests, and of properties that are being tested, in memory. Tests are rare. */
const TEST_CAPACITY = 1000;

/** Rate limit on puzzles for tests of a property, because tests do not raise the difficulty. Requests per second, and burst. */
const TEST_RATE = { rate: 1, burst: 60 };

const UNCOUNTED = { countPuzzle() {}, countVerdict() {} };

/** Creates a load meter that does not count. */
function createUnchangedLoad({ usageRecording: { load } }: CaptchaContext) {
  const observe: LoadMeter['observe'] = (_, property, now) => load.peek(property, now);
  return { observe, peek: load.peek, verified() {} };
}

/** Issues puzzles like the public routes, but no rules apply, nothing is counted or recorded, and the difficulty is not raised. */
function createTestIssue(context: CaptchaContext): IssuePuzzle {
  const load = createUnchangedLoad(context);
  return createIssue(context, { usage: UNCOUNTED, load, decide: () => undefined });
}

/**
 * Issues and verifies puzzles for tests in the portal, as `createTestIssue` describes. Solutions are claimed, so each is accepted once.
 */
export function createVerificationTest(context: CaptchaContext): {
  readonly issue: IssuePuzzle;
  readonly verify: VerifySolution;
  readonly limit: (sitekey: Sitekey) => RateLimitState;
} {
  const { clock } = context;
  const limit = createRateLimit({ ...TEST_RATE, capacity: TEST_CAPACITY, clock });
  return {
    issue: createTestIssue(context),
    limit: (sitekey) => limit.take(Number.parseInt(sitekey.slice(0, 12), 16)),
    verify: createVerify(context, {
      usage: UNCOUNTED,
      load: createUnchangedLoad(context),
      guard: createReplayGuard(context.ledger, TEST_CAPACITY),
      checkHashwx: createHashwxWorkCheck({
        open: createHashwxCheck(),
        failures: createPuzzleFailures(),
        count() {},
      }),
    }),
  };
}
