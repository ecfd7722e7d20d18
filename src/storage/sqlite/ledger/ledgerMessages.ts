import type { ClaimCommit } from '../../../model/readings.ts';
import type { ClaimAnswer, ClaimMessage } from '../../ledgerClient/messages.ts';
import type { ClaimsOptions } from './claims.ts';
import type { ClaimsCounter } from './claimsCounter.ts';

/** Messages to the ledger thread from the thread that started it, answered in order. Adjacent `count` messages share one answer. */
export type ToLedger =
  | ClaimMessage
  | ({ readonly kind: 'open' } & ClaimsOptions)
  /** The port of a client, from which `FromClient` arrives. */
  | { readonly kind: 'connect'; readonly port: MessagePort }
  | { readonly kind: 'purge'; readonly beforeSeconds: number; readonly keyFingerprints: readonly number[] }
  | { readonly kind: 'purged-before'; readonly keyFingerprint: number }
  /** Checks whether claims can be stored. */
  | { readonly kind: 'probe' }
  | { readonly kind: 'advance-counter'; readonly to: ClaimsCounter }
  | { readonly kind: 'close' };

/** What a message from the ledger thread says. */
export type LedgerReport =
  | ClaimAnswer
  | { readonly kind: 'done' }
  | { readonly kind: 'opened'; readonly hasLostClaims: boolean; readonly counter: ClaimsCounter }
  | { readonly kind: 'purged'; readonly rows: number }
  | { readonly kind: 'purged-before'; readonly seconds: number }
  /** Clients have stored claims. */
  | { readonly kind: 'claims-stored' }
  /** Clients could not store claims. */
  | { readonly kind: 'claims-failed' };

/** A message from the ledger thread to the thread that started it. */
export type FromLedger = LedgerReport & {
  /** The number of messages that this one answers. */
  readonly answered: number;
  /** The transactions that stored claims since the previous message. */
  readonly commits: readonly ClaimCommit[];
};
