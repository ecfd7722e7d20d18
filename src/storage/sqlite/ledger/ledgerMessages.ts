import type { Durability } from '../../storage.ts';

/** To the ledger's thread, answered in order: each message gets one answer, or shares a `counted` with its neighbours. */
export type ToLedger =
  | { readonly kind: 'open'; readonly file: string; readonly durability: Durability }
  | { readonly kind: 'count'; readonly group: Uint8Array }
  | { readonly kind: 'purge'; readonly beforeSeconds: number }
  /** Writes something that changes nothing: can claims be kept? */
  | { readonly kind: 'probe' }
  | { readonly kind: 'close' };

/** From the ledger's thread. `answered` says how many messages this is the answer to. */
export type FromLedger = { readonly answered: number } & (
  | { readonly kind: 'done' }
  /** The counts of all the groups, one after the other. */
  | { readonly kind: 'counted'; readonly counts: Uint32Array }
  | { readonly kind: 'purged'; readonly rows: number }
  | { readonly kind: 'failed'; readonly reason: string }
);
