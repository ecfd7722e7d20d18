import { createCaptchaTotals } from '../../captcha/captchaTotals.ts';
import { createLoadMeter } from '../../captcha/load.ts';
import { createRemoteGeoip } from '../../geoip/geoip.ts';
import { createBodies } from '../../http/body.ts';
import { commonHeaders } from '../../http/commonHeaders.ts';
import { createRequestContext } from '../../http/requestContext.ts';
import { createSecurityLog } from '../../http/securityLog.ts';
import { createRequestIds, systemRandom } from '../../lib/ids.ts';
import { type LogLevel, reasonOf } from '../../lib/log.ts';
import { createLogLimit } from '../../lib/logLimit.ts';
import { openSharedMemory } from '../../lib/sharedMemory.ts';
import { systemClock } from '../../lib/time.ts';
import { timer } from '../../lib/timer.ts';
import { UNLIMITED_EVENTS } from '../../model/logEvents.ts';
import { createLedgerClient } from '../../storage/ledgerClient/client.ts';
import { RemoteError, type RemoteThread } from '../../threads/protocol.ts';
import { createGivenAddressSecrets } from '../addressHashes.ts';
import { createHotCaches, createSigningRing, PROPERTY_CAPACITY } from '../caches.ts';
import { limitClaims, sharedNow } from '../claimWatch.ts';
import type { CaptchaContext } from '../context.ts';
import { CLIENT_CAPACITY } from '../context.ts';
import { createThreadCounting } from '../countSharing.ts';
import { createHotMeters, declareRoutes } from '../meters.ts';
import { createRemoteSources } from './lookups.ts';
import { openMeterMemory, openThreadState } from './memory.ts';
import { createRemoteLog } from './remoteLog.ts';
import { createThreadCounts } from './threadCounts.ts';
import type { ManagementMethods, ThreadStart } from './threadMethods.ts';

export type ThreadContextOptions = {
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
  const newId = createRequestIds(systemRandom);
  const requestContext = createRequestContext({ ...config, newId, peerOf });

  /** The management thread has already reported its own failures. */
  function reportFailure(error: unknown): void {
    if (!(error instanceof RemoteError)) management.notify('reportFailure', reasonOf(error));
  }

  const load = createLoadMeter(CLIENT_CAPACITY, PROPERTY_CAPACITY, {
    allocate: memory.allocate('load'),
    clients: counting.share('clientLoad'),
    verified: counting.share('clientVerified'),
    properties: counting.share('propertyLoad'),
  });
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
      countHit: counts.countHit,
    },
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
