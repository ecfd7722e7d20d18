import type { Argon2idCheck } from '../captcha/argon2idCheck.ts';
import type { LoadMeter } from '../captcha/load.ts';
import type { Config } from '../config.ts';
import type { Bodies } from '../http/body.ts';
import type { Draining } from '../http/draining.ts';
import type { PublicPages } from '../http/publicPage.tsx';
import type { RequestContext } from '../http/requestContext.ts';
import type { SecurityLog } from '../http/securityLog.ts';
import type { WidgetBuilds } from '../http/widget/widgetBuilds.ts';
import type { Log } from '../lib/log.ts';
import type { SharedMemory } from '../lib/sharedMemory.ts';
import type { Clock } from '../lib/time.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { EffectiveSetting } from '../model/system.ts';
import type { Demo } from '../platform/installation/firstStart.ts';
import type { ServerLedger } from '../storage/storage.ts';
import type { BackgroundJobs } from './backgroundJobs.ts';
import type { Caches, HotCaches } from './caches.ts';
import type { CountSharing } from './countSharing.ts';
import type { HotMeters, Meters } from './meters.ts';
import type { Services } from './services.ts';
import type { TrafficRecording } from './trafficRecording.ts';
import type { UsageRecording } from './usageRecording.ts';

/** The dependencies of a running server's routes. */
export type AppContext = BackgroundJobs & {
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
  readonly trafficRecording: TrafficRecording;
  /** Verifies the solutions of argon2id puzzles. */
  readonly argon2id: Argon2idCheck;
  readonly countSharing: CountSharing;
  readonly requestContext: RequestContext;
  readonly securityLog: SecurityLog;
  readonly bodies: Bodies;
  readonly commonHeaders: Readonly<Record<string, string>>;
  /** Undefined if the demo is off. */
  readonly demo: Demo | undefined;
  /** Which of the optional pages this server has. */
  readonly publicPages: PublicPages;
  readonly widgetBuilds: WidgetBuilds;
  readonly meters: Meters;
  readonly draining: Draining;
};

type Hot<Name extends keyof AppContext, Part extends keyof AppContext[Name]> = Pick<AppContext[Name], Part>;

/** The dependencies of the routes for puzzles and verifications, on every request thread. */
export type CaptchaContext = Pick<
  AppContext,
  | 'log'
  | 'clock'
  | 'memory'
  | 'replayCapacity'
  | 'requestContext'
  | 'securityLog'
  | 'bodies'
  | 'commonHeaders'
> & {
  readonly config: Hot<
    'config',
    'puzzleRate' | 'puzzleBurst' | 'verifyRate' | 'verifyBurst' | 'testProperty'
  >;
  readonly services: {
    readonly geoip: Pick<AppContext['services']['geoip'], 'find'>;
    readonly keyUses: Pick<AppContext['services']['keyUses'], 'record'>;
    readonly maintenance: Pick<AppContext['services']['maintenance'], 'isOn'>;
  };
  readonly ledger: Pick<ReplayLedger, 'claim' | 'claimOnce' | 'recall'>;
  readonly caches: HotCaches & Hot<'caches', 'ring' | 'reportFailure'>;
  readonly meters: Pick<HotMeters, 'rateLimits' | 'storageFailures' | 'hashwx'> & Hot<'meters', 'caches'>;
  readonly usageRecording: Hot<'usageRecording', 'usage' | 'countHit' | 'countKey'> & {
    readonly load: LoadMeter;
  };
  readonly trafficRecording: Hot<'trafficRecording', 'observer'>;
  readonly argon2id: Hot<'argon2id', 'check'>;
  readonly countSharing: Hot<'countSharing', 'share' | 'addressSecrets'>;
};

/** Maximum number of client addresses in the table of rate limits, and in that of the load. Both tables round it up to 131,072. */
export const CLIENT_CAPACITY = 100_000;

/** Maximum number of API keys whose last use is in memory until it is written. */
export const KEY_USES_CAPACITY = 20_000;

/**
 * Maximum number of properties in one interval, a quarter of them with solve times. Above it, a write starts early. Uses 14 MB for
 * counts and about 10 MB for their index, allocated when needed, and twice as much while a write is in progress.
 */
export const USAGE_CAPACITY = 65_536;

/** Maximum number of rules that are hit in one interval. Their hits use about 10 MB. */
export const RULE_HITS_CAPACITY = 65_536;
