import type { Durability } from './claims.ts';

/** To the ledger's thread. Each message gets one answer, in order. */
export type ToLedger =
  | { readonly kind: 'open'; readonly file: string; readonly durability: Durability }
  | { readonly kind: 'count'; readonly group: Uint8Array }
  | { readonly kind: 'purge'; readonly beforeSeconds: number }
  | { readonly kind: 'close' };

/** From the ledger's thread. */
export type FromLedger =
  | { readonly kind: 'done' }
  | { readonly kind: 'counted'; readonly counts: Uint32Array }
  | { readonly kind: 'purged'; readonly rows: number }
  | { readonly kind: 'failed'; readonly reason: string };
