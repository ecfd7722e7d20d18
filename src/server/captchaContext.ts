import type { LoadMeter } from '../captcha/load.ts';
import type { KeyRing } from '../captcha/signature.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { AppContext } from './appContext.ts';
import type { HotCaches } from './hotCaches.ts';
import type { HotMeters } from './hotMeters.ts';

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
  readonly caches: {
    readonly [Name in 'properties' | 'principals']: Pick<HotCaches[Name], 'get'>;
  } & Pick<HotCaches, 'rulesOf'> & {
      readonly ring: () => KeyRing;
      readonly reportFailure: (error: unknown) => void;
    };
  readonly meters: Pick<HotMeters, 'rateLimits' | 'storageFailures'> & Hot<'meters', 'caches'>;
  readonly usageRecording: Hot<'usageRecording', 'usage' | 'countHit'> & { readonly load: LoadMeter };
  readonly argon2id: Hot<'argon2id', 'check'>;
  readonly countSharing: Hot<'countSharing', 'share' | 'addressSecrets'>;
};
