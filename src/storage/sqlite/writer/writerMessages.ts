import type { AuditAction } from '../../../model/audit.ts';
import type { Quotas } from '../../../model/plan.ts';

/** A call of a store method for the writer thread. The arguments must be structured-cloneable. */
export type WriterCall = {
  readonly kind: 'call';
  readonly store: string;
  readonly method: string;
  readonly args: readonly unknown[];
};

/** Messages to the writer thread, answered in order. Consecutive calls can share one transaction and one answer. */
export type ToWriter =
  | { readonly kind: 'open'; readonly dataDir: string; readonly defaults: Quotas }
  | WriterCall
  | { readonly kind: 'close' };

/** The result of a call. An error includes SQLite's result code, which structured cloning would drop. */
export type CallResult =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly name: string;
      readonly message: string;
      readonly code: string | undefined;
    };

/** An audit log entry that could not be appended. */
export type AuditFailure = { readonly action: AuditAction; readonly reason: string };

/** Messages from the writer thread. `answered` is the number of messages that the message answers. */
export type FromWriter = { readonly answered: number } & (
  | { readonly kind: 'done' }
  | {
      readonly kind: 'called';
      readonly results: readonly CallResult[];
      readonly auditFailures: readonly AuditFailure[];
    }
  | { readonly kind: 'failed'; readonly reason: string }
);
