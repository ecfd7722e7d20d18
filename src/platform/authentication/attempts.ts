import { type Sign, signatureOf } from '../../lib/signatures.ts';
import { type Clock, SECOND } from '../../lib/time.ts';
import type { AttemptRule } from '../../model/account.ts';
import type { AttemptLimit, AttemptStore } from '../../model/ports/session.ts';

/** A rule, and the text whose failures it counts, such as an address. */
export type Limit = { readonly rule: AttemptRule; readonly key: string };

/** Counts failed attempts. Delays are in whole seconds, rounded up. @see AttemptStore */
export type Attempts = ReturnType<typeof createAttempts>;

/** @see Attempts */
export function createAttempts(deps: {
  readonly store: AttemptStore;
  readonly sign: Sign;
  readonly clock: Clock;
}) {
  const { store, sign, clock } = deps;

  function hashed(limits: readonly Limit[]): readonly AttemptLimit[] {
    return limits.map(({ rule, key }) => ({
      rule,
      keyHash: signatureOf(sign, `attempts ${rule.name} ${key}`),
    }));
  }

  return {
    /** @returns seconds until an attempt can begin; 0 if there is no delay */
    waitSeconds: async (limits: readonly Limit[]): Promise<number> =>
      toSeconds(await store.delay(hashed(limits), clock())),
    /** @returns 0 if the attempt was counted; otherwise, seconds until it can begin */
    begin: async (limits: readonly Limit[]): Promise<number> =>
      toSeconds(await store.begin(hashed(limits), clock())),
    takeBack: (limits: readonly Limit[]): Promise<void> => store.takeBack(hashed(limits)),
    clear: (limits: readonly Limit[]): Promise<void> => store.clear(hashed(limits)),
  };
}

function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / SECOND);
}
