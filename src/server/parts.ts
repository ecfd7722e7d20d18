import type { Config } from '../config.ts';
import type { BodiesOptions } from '../http/body.ts';
import type { RequestContext } from '../http/requestContext.ts';
import type { SecurityLog } from '../http/securityLog.ts';
import type { Log } from '../lib/log.ts';
import type { Clock } from '../lib/time.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { Demo } from '../platform/firstStart.ts';
import type { BackgroundJobs } from './backgroundJobs.ts';
import type { Caches } from './caches.ts';
import type { Services } from './services.ts';
import type { UsageRecording } from './usageRecording.ts';

/** The components of a running server that its routes are built from. */
export type Parts = {
  readonly config: Config;
  readonly requestContext: RequestContext;
  readonly securityLog: SecurityLog;
  readonly settings: readonly EffectiveSetting[];
  readonly log: Log;
  readonly clock: Clock;
  readonly services: Services;
  readonly ledger: ReplayLedger;
  readonly replayCapacity: number;
  readonly bodies: BodiesOptions | undefined;
  readonly caches: Caches;
  readonly usageRecording: UsageRecording;
  readonly demo: Demo | undefined;
  readonly taskFinished: BackgroundJobs['taskFinished'];
  readonly state: { isDraining: boolean; peerOf: (request: Request) => string | undefined };
};
