import type { RepeatKey } from '../../model/ports/replayLedger.ts';

/** What a thread that verifies solutions sends to the thread that stores claims. */
export type ClaimMessage =
  /** n times CLAIM_SIZE bytes. */
  | { readonly kind: 'count'; readonly group: Uint8Array }
  | {
      readonly kind: 'count-once';
      /** CLAIM_SIZE bytes. */
      readonly claim: Uint8Array;
      readonly maxCount: number;
      readonly key: RepeatKey;
    }
  | { readonly kind: 'recall'; readonly key: RepeatKey };

/** The count of a claim that could not be stored. */
export const NOT_COUNTED = 2 ** 32 - 1;

export type ClaimAnswer =
  /** The counts of all claims, in order. `reason` is present if some of them are NOT_COUNTED. */
  | { readonly kind: 'counted'; readonly counts: Uint32Array; readonly reason?: string | undefined }
  | { readonly kind: 'counted-once'; readonly presentations: number }
  | { readonly kind: 'recalled'; readonly isAccepted: boolean | undefined }
  | { readonly kind: 'failed'; readonly reason: string };

/** A message of a client on its own port. Its ids are consecutive numbers. */
export type FromClient = ClaimMessage & { readonly id: number };

/** Answers the messages with the ids from `id` to `id + answered - 1`. */
export type ToClient = ClaimAnswer & { readonly id: number; readonly answered: number };

/** Messages from the thread that opened the ledger to a client. */
export type Control =
  /** Claims are sent to this port from now on, in at most `maxUnanswered` groups at the same time. */
  | { readonly kind: 'connected'; readonly port: MessagePort; readonly maxUnanswered: number }
  /** The thread that stores claims has ended. */
  | { readonly kind: 'ended'; readonly reason: string }
  /** The ledger is about to be closed. The client answers `drained` when it waits for no more answers. */
  | { readonly kind: 'drain' };

/** The only message from a client to the thread that opened the ledger. */
export type Drained = 'drained';
