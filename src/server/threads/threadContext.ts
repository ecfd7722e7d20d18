import { createCaptchaTotals } from '../../captcha/captchaTotals.ts';
import { createRuleHits } from '../../captcha/rules/ruleHits.ts';
import {
  createTrafficObserver,
  createTrafficQueue,
  type TrafficObserverDeps,
} from '../../captcha/traffic/observeTraffic.ts';
import { createUsage } from '../../captcha/usage.ts';
import { createRemoteGeoip } from '../../geoip/geoip.ts';
import { createBodies } from '../../http/body.ts';
import { commonHeaders } from '../../http/commonHeaders.ts';
import { createRequestContext } from '../../http/requestContext.ts';
import { createSecurityLog } from '../../http/securityLog.ts';
import { createRequestIds, systemRandom } from '../../lib/ids.ts';
import { type LogLevel, reasonOf } from '../../lib/log.ts';
import { createLogLimit } from '../../lib/logLimit.ts';
import { startPeriodic } from '../../lib/periodic.ts';
import { openSharedMemory } from '../../lib/sharedMemory.ts';
import { type Clock, SECOND, systemClock } from '../../lib/time.ts';
import { timer } from '../../lib/timer.ts';
import { UNLIMITED_EVENTS } from '../../model/logEvents.ts';
import { createKeyUses } from '../../platform/apiKeys/keyUses.ts';
import { createLedgerClient } from '../../storage/ledgerClient/client.ts';
import { RemoteError, type RemoteThread } from '../../threads/protocol.ts';
import { createGivenAddressSecrets } from '../addressHashes.ts';
import { createHotCaches, createSigningRing } from '../caches.ts';
import { limitClaims, sharedNow } from '../claimWatch.ts';
import { type CaptchaContext, KEY_USES_CAPACITY, RULE_HITS_CAPACITY, USAGE_CAPACITY } from '../context.ts';
import { createThreadCounting } from '../countSharing.ts';
import { openLoadMeter } from '../loadMeter.ts';
import { createHotMeters, declareRoutes } from '../meters.ts';
import { createRemoteSources } from './lookups.ts';
import { openMeterMemory, openThreadState } from './memory.ts';
import { createRemoteLog } from './remoteLog.ts';
import type { HandedOver, ManagementMethods, ThreadStart } from './threadMethods.ts';

type ThreadContextOptions = {
  readonly start: ThreadStart;
  readonly management: RemoteThread<ManagementMethods>;
  readonly peerOf: (request: Request) => string | undefined;
};

/** Creates the dependencies of the routes of a request thread. They ask the management thread for everything that is not in memory. */
export async function createThreadContext({ start, management, peerOf }: ThreadContextOptions) {
  const { config, slot, buffers, replayCapacity, isClustered } = start;
  const clock = systemClock;
  const memory = openSharedMemory(buffers);
  const state = openThreadState(memory);
  const meterMemory = openMeterMemory(memory, slot);
  const oldestClaim = state.oldestClaims[1 + slot];
  if (oldestClaim === undefined) throw new Error(`there is no thread ${slot + 1}`);
  const meters = createHotMeters(meterMemory.counters, meterMemory.requests);
  declareRoutes(meters.requests, start.routes);
  const { log, flushLog } = openLog(config.log, management);
  const counts = createThreadCounts((counted) => management.call('addCounts', counted), clock);
  const counting = createThreadCounting(isClustered);
  const geoip = createRemoteGeoip((error) => log.error('geoip-file-failed', { reason: reasonOf(error) }));
  geoip.replace(start.geoip);
  const signing = createSigningRing(start.signingKeys, clock);
  const addressSecrets = createGivenAddressSecrets(start.addressSecrets);
  const requestContext = createRequestContext({ ...config, newId: createRequestIds(systemRandom), peerOf });

  /** The management thread has already reported its own failures. */
  function reportFailure(error: unknown): void {
    if (!(error instanceof RemoteError)) management.notify('reportFailure', reasonOf(error));
  }

  const load = openLoadMeter(memory, counting.share);
  const context: CaptchaContext = {
    config,
    log,
    clock,
    memory,
    replayCapacity,
    requestContext,
    services: {
      geoip,
      keyUses: { record: counts.recordKeyUse },
      maintenance: { isOn: state.maintenance.isOn },
    },
    ledger: limitClaims(await createLedgerClient(start.ledgerPort), oldestClaim, { now: sharedNow, timer }),
    caches: {
      ...createHotCaches({
        sources: createRemoteSources((keys) => management.call('lookUp', keys)),
        onStale: reportFailure,
        log,
        generation: state.generation,
        arena: meterMemory.caches,
      }),
      ring: signing.ring,
      reportFailure,
    },
    meters: { ...meters, caches: new Map() },
    usageRecording: {
      load,
      usage: createCaptchaTotals(counts.usage, meterMemory.totals),
      ...counts.counters,
    },
    trafficRecording: counts.recordTraffic(config, geoip.find),
    argon2id: { check: (owner, payload) => management.call('checkArgon2id', { owner, payload }) },
    countSharing: { share: counting.share, addressSecrets },
    securityLog: createSecurityLog({
      log,
      addressOf: requestContext.addressOf,
      onEvent: meters.securityEvents.add,
    }),
    // The memory of bodies is divided among the threads.
    bodies: createBodies({ ...requestContext, threads: config.threads }),
    commonHeaders: commonHeaders(config),
  };
  return { context, flushLog, state, meters, counts, counting, geoip, signing, addressSecrets };
}

function openLog(level: LogLevel, { call, notify }: RemoteThread<ManagementMethods>) {
  const limit = createLogLimit({
    timer,
    unlimited: UNLIMITED_EVENTS,
    onSuppressed: (event, suppressed) => notify('logSuppressed', { event, suppressed }),
  });
  const log = createRemoteLog(
    level,
    limit,
    (entry) => call('log', entry),
    (entries) => notify('logLost', entries),
  );
  return { log, flushLog: limit.flush };
}

const HAND_OVER_MS = SECOND;
/** Key uses are sent only in one of this many runs, because their times are rounded to a minute. */
const KEY_USES_EVERY = 10;

/**
 * Counts for the statistics on a request thread, and sends the counts to the management thread every second. Only one message at a time
 * waits for an answer, so messages do not accumulate while the management thread is busy.
 */
function createThreadCounts(send: (counts: HandedOver) => Promise<void>, clock: Clock) {
  const usage = createUsage(USAGE_CAPACITY, () => void periodic.run());
  const ruleHits = createRuleHits(RULE_HITS_CAPACITY);
  const trafficQueue = createTrafficQueue();
  const keyUses = createKeyUses({
    store: { recordUses: (uses) => send({ keyUses: uses }) },
    clock,
    capacity: KEY_USES_CAPACITY,
  });
  let runs = 0;

  async function sendLost(): Promise<void> {
    const [lostEvents, lostHits] = [usage.takeLost(), ruleHits.takeLost()];
    if (lostEvents + lostHits > 0) await send({ lostEvents, lostHits });
  }

  async function sendTraffic(): Promise<void> {
    const traffic = trafficQueue.take();
    if (traffic.length > 0) await send({ traffic });
  }

  async function sendKeyUses(): Promise<void> {
    while (await keyUses.flush());
  }

  let isComplete = false;

  async function sendAll(): Promise<void> {
    await usage.flush((records) => send({ usage: records }));
    await ruleHits.flush((records) => send({ hits: records }));
    await sendTraffic();
    await sendLost();
    runs++;
    if (isComplete || runs % KEY_USES_EVERY === 0) await sendKeyUses();
  }

  // After the management thread has ended, nothing can be sent, and this thread ends too.
  const periodic = startPeriodic({ work: () => sendAll().catch(() => {}), everyMs: HAND_OVER_MS });
  return {
    usage,
    counters: { countHit: ruleHits.count, countKey: usage.countKey },
    recordTraffic: ({ trafficDetails }: ThreadStart['config'], geoip: TrafficObserverDeps['geoip']) => ({
      observer: createTrafficObserver({
        details: trafficDetails,
        geoip,
        record: trafficQueue.add,
        random: Math.random,
      }),
    }),
    recordKeyUse: keyUses.record,
    /** Sends everything that was counted before the call. */
    handOver(): Promise<void> {
      isComplete = true;
      return periodic.run();
    },
  };
}
