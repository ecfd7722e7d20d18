import { type Sign, signatureOf } from '../../lib/signatures.ts';
import { type Clock, SECOND } from '../../lib/time.ts';
import type { AttemptRule } from '../../model/account.ts';
import type { AttemptLimit, AttemptStore } from '../../model/ports/session.ts';

/** A rule, and the text whose failures it counts, such as an address. */
export type Limit = { readonly rule: AttemptRule; readonly key: string };

/** Counts failed attempts. Delays are in whole seconds, rounded up. @see AttemptStore */
export type Attempts = {
  /** @returns seconds until an attempt can begin; 0 if there is no delay */
  readonly waitSeconds: (limits: readonly Limit[]) => Promise<number>;
  /** @returns 0 if the attempt was counted; otherwise, seconds until it can begin */
  readonly begin: (limits: readonly Limit[]) => Promise<number>;
  readonly takeBack: (limits: readonly Limit[]) => Promise<void>;
  readonly clear: (limits: readonly Limit[]) => Promise<void>;
};

/** @see Attempts */
export function createAttempts(deps: {
  readonly store: AttemptStore;
  readonly sign: Sign;
  readonly clock: Clock;
}): Attempts {
  const { store, sign, clock } = deps;

  function hashed(limits: readonly Limit[]): readonly AttemptLimit[] {
    return limits.map(({ rule, key }) => ({
      rule,
      keyHash: signatureOf(sign, `attempts ${rule.name} ${key}`),
    }));
  }

  return {
    waitSeconds: async (limits) => toSeconds(await store.delay(hashed(limits), clock())),
    begin: async (limits) => toSeconds(await store.begin(hashed(limits), clock())),
    takeBack: (limits) => store.takeBack(hashed(limits)),
    clear: (limits) => store.clear(hashed(limits)),
  };
}

function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / SECOND);
}
