import type { Argon2idCheck } from '../captcha/argon2idCheck.ts';
import type { Config } from '../config.ts';
import type { Bodies } from '../http/body.ts';
import type { Draining } from '../http/draining.ts';
import type { RequestContext } from '../http/requestContext.ts';
import type { SecurityLog } from '../http/securityLog.ts';
import type { WidgetBuilds } from '../http/widget/widgetBuilds.ts';
import type { Log } from '../lib/log.ts';
import type { SharedMemory } from '../lib/sharedMemory.ts';
import type { Clock } from '../lib/time.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { Demo } from '../platform/installation/firstStart.ts';
import type { ServerLedger } from '../storage/storage.ts';
import type { BackgroundJobs } from './backgroundJobs.ts';
import type { Caches } from './caches.ts';
import type { CountSharing } from './countSharing.ts';
import type { Meters } from './meters.ts';
import type { Services } from './services.ts';
import type { UsageRecording } from './usageRecording.ts';

/** The dependencies of a running server's routes. */
export type AppContext = {
  readonly config: Config;
  /** The settings that the portal shows. */
  readonly settings: readonly EffectiveSetting[];
  readonly log: Log;
  readonly clock: Clock;
  /** The memory of rate limits, of the load, and of the replay guard. */
  readonly memory: SharedMemory;
  readonly services: Services;
  readonly ledger: ServerLedger;
  /** Number of puzzles that the replay guard caches. */
  readonly replayCapacity: number;
  readonly caches: Caches;
  readonly usageRecording: UsageRecording;
  /** Verifies the solutions of argon2id puzzles. */
  readonly argon2id: Argon2idCheck;
  readonly countSharing: CountSharing;
  readonly requestContext: RequestContext;
  readonly securityLog: SecurityLog;
  readonly bodies: Bodies;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** Undefined if the demo is off. */
  readonly demo: Demo | undefined;
  readonly widgetBuilds: WidgetBuilds;
  readonly taskFinished: BackgroundJobs['taskFinished'];
  readonly tasksRunning: BackgroundJobs['tasksRunning'];
  readonly nodeClock: BackgroundJobs['nodeClock'];
  readonly meters: Meters;
  readonly draining: Draining;
};
