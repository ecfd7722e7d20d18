/** The writer thread. Only this thread waits for the disk when the main database is written. */

import { reasonOf } from '../../../lib/log.ts';
import { pacer } from '../../../lib/pacer.ts';
import type { AuditAction } from '../../../model/audit.ts';
import type { Quotas } from '../../../model/plan.ts';
import { connectThread, LATER, type Later } from '../../../threads/protocol.ts';
import type { Stores } from '../../storage.ts';
import { createRawStores } from '../createStores.ts';
import { connectMain, type MainDatabase } from '../open.ts';
import { type CallResult, runGroup, type WriterCall } from './writeGroup.ts';

/** The functions of the writer thread. */
export type WriterMethods = {
  readonly open: (options: { readonly dataDir: string; readonly defaults: Quotas }) => void;
  /** Runs a call of a store. Consecutive calls can share one transaction and one answer. */
  readonly run: (call: WriterCall, id: number) => GroupResult | Later;
  /** Closes the database. No call may be running. */
  readonly close: (nothing: undefined) => void;
};

/** The results of the calls that share a transaction. */
export type GroupResult = {
  readonly results: readonly CallResult[];
  readonly auditFailures: readonly AuditFailure[];
};

/** An audit log entry that could not be appended. */
type AuditFailure = { readonly action: AuditAction; readonly reason: string };

/** Maximum number of calls in one transaction. Other processes cannot write during a transaction. */
const GROUP_SIZE = 128;

declare const self: Worker;

type WaitingCall = { readonly id: number; readonly call: WriterCall };

/** Failures of the calls that are running. */
const auditFailures: AuditFailure[] = [];
let opened: { readonly database: MainDatabase; readonly stores: Stores } | undefined;
const waiting: WaitingCall[] = [];
let isRunning = false;

const { answer } = connectThread(self, {
  open({ dataDir, defaults }) {
    const database = connectMain(dataDir);
    const onAuditFailure = (action: AuditAction, error: unknown) =>
      void auditFailures.push({ action, reason: reasonOf(error) });
    opened = { database, stores: createRawStores(database, defaults, onAuditFailure) };
  },
  run(call, id) {
    waiting.push({ id, call });
    if (!isRunning) {
      isRunning = true;
      // All calls that have arrived by then run together.
      setImmediate(() => void work());
    }
    return LATER;
  },
  close() {
    opened?.database.raw.close();
    opened = undefined;
  },
} satisfies WriterMethods);

async function work(): Promise<void> {
  while (waiting.length > 0) {
    await run(waiting.splice(0, GROUP_SIZE));
    // Calls that arrived during a commit join the next group.
    await pacer.turn();
  }
  isRunning = false;
}

async function run(group: readonly WaitingCall[]): Promise<void> {
  const first = group[0]?.id ?? 0;
  try {
    if (opened === undefined) throw new Error('the main database is not open');
    const calls = group.map(({ call }) => call);
    const results = await runGroup(opened.database, opened.stores, calls);
    answer(first, group.length, { result: { results, auditFailures: auditFailures.splice(0) } });
  } catch (error) {
    answer(first, group.length, { reason: reasonOf(error) });
  }
}
