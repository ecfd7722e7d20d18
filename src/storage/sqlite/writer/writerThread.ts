/** The writer thread. Only this thread waits for the disk when the main database is written. */

import { pacer } from '../../../lib/pacer.ts';
import type { Stores } from '../../storage.ts';
import { createRawStores } from '../createStores.ts';
import { connectMain, type MainDatabase } from '../open.ts';
import { runGroup } from './writeGroup.ts';
import type { AuditFailure, FromWriter, ToWriter, WriterCall } from './writerMessages.ts';

/** Maximum number of calls in one transaction. Other processes cannot write during a transaction. */
const GROUP_SIZE = 128;

declare const self: Worker;

/** Failures of the calls that are running. */
const auditFailures: AuditFailure[] = [];

function onAuditFailure(action: AuditFailure['action'], error: unknown): void {
  auditFailures.push({ action, reason: error instanceof Error ? error.message : String(error) });
}

let opened: { readonly database: MainDatabase; readonly stores: Stores } | undefined;
const waiting: ToWriter[] = [];
let isRunning = false;

self.onmessage = (event: MessageEvent<ToWriter>) => {
  waiting.push(event.data);
  if (isRunning) return;
  isRunning = true;
  // All messages that have arrived by then are handled together.
  setImmediate(() => void work());
};

async function work(): Promise<void> {
  while (waiting.length > 0) {
    const calls = takeCalls();
    try {
      postMessage(calls.length > 0 ? await runCalls(calls) : answer(waiting.shift()));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const answered = Math.max(calls.length, 1);
      postMessage({ kind: 'failed', answered, reason } satisfies FromWriter);
    }
    // Messages that arrived during a commit join the next group.
    await pacer.turn();
  }
  isRunning = false;
}

/** Removes the calls at the head of the queue. */
function takeCalls(): readonly WriterCall[] {
  const calls: WriterCall[] = [];
  for (const message of waiting) {
    if (message.kind !== 'call' || calls.length === GROUP_SIZE) break;
    calls.push(message);
  }
  waiting.splice(0, calls.length);
  return calls;
}

async function runCalls(calls: readonly WriterCall[]): Promise<FromWriter> {
  if (opened === undefined) throw new Error('the main database is not open');
  const results = await runGroup(opened.database, opened.stores, calls);
  return { kind: 'called', answered: calls.length, results, auditFailures: auditFailures.splice(0) };
}

function answer(message: ToWriter | undefined): FromWriter {
  if (message?.kind === 'open') {
    const database = connectMain(message.dataDir);
    opened = { database, stores: createRawStores(database, message.defaults, onAuditFailure) };
  } else {
    opened?.database.raw.close();
    opened = undefined;
  }
  return { kind: 'done', answered: 1 };
}
