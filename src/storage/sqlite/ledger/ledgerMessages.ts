import type { RepeatKey } from '../../../model/ports/replayLedger.ts';
import type { ClaimsOptions } from './claims.ts';

/** Messages to the ledger thread, answered in order. Adjacent `count` messages share one answer. */
export type ToLedger =
  | ({ readonly kind: 'open' } & ClaimsOptions)
  | { readonly kind: 'count'; readonly group: Uint8Array }
  | {
      readonly kind: 'count-once';
      readonly claim: Uint8Array;
      readonly maxCount: number;
      readonly key: RepeatKey;
    }
  | { readonly kind: 'recall'; readonly key: RepeatKey }
  | { readonly kind: 'purge'; readonly beforeSeconds: number; readonly keyFingerprints: readonly number[] }
  | { readonly kind: 'purged-before'; readonly keyFingerprint: number }
  /** Checks whether claims can be stored. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'close' };

/** Messages from the ledger thread. `answered` is the number of messages that the message answers. */
export type FromLedger = { readonly answered: number } & (
  | { readonly kind: 'done' }
  | { readonly kind: 'opened'; readonly hasLostClaims: boolean }
  /** The counts of all groups, in order. `milliseconds` is the duration of the transaction. */
  | { readonly kind: 'counted'; readonly counts: Uint32Array; readonly milliseconds: number }
  | { readonly kind: 'counted-once'; readonly presentations: number; readonly milliseconds: number }
  | { readonly kind: 'recalled'; readonly isAccepted: boolean | undefined }
  | { readonly kind: 'purged'; readonly rows: number }
  | { readonly kind: 'purged-before'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly reason: string }
);
