import type { Quotas } from '../../../model/plan.ts';
import { StoreFailure } from '../../../model/storeFailure.ts';
import { type Method, mapMethods } from '../../methods.ts';
import type { OnAuditFailure, OnThread, Stores } from '../../storage.ts';
import { createRawStores } from '../createStores.ts';
import { reportFailures } from '../failures.ts';
import type { MainDatabase } from '../open.ts';
import { createThread, type Failed, type StartWorker, type Thread, workerUrl } from '../thread.ts';
import type { CallResult, FromWriter, ToWriter, WriterCall } from './writerMessages.ts';

/** Minimum time between two starts of the thread, in milliseconds. */
const RESTART_MS = 500;

export type WriterOptions = {
  readonly dataDir: string;
  /** The quotas of the default plan until it is set. */
  readonly defaults: Quotas;
  readonly onThread?: OnThread;
  readonly onAuditFailure?: OnAuditFailure | undefined;
  readonly start?: StartWorker | undefined;
};

/** All stores, with their writes in a separate thread. */
export type ThreadedStores = {
  readonly stores: Stores;
  /** Waits for pending writes, then stops the thread. @throws (rejects) if the thread cannot close its connection */
  readonly close: () => Promise<void>;
};

export const startWriterThread: StartWorker = () =>
  new Worker(workerUrl('writer/writerThread.ts'), { smol: true });

/**
 * Returns stores whose reads use `database` and whose writes go to the writer thread, which commits in groups. The promise of a
 * write resolves when the write is on the disk and visible to reads. No fsync blocks the calling thread.
 *
 * @param database migrated; stays open
 */
export function openThreadedStores(database: MainDatabase, options: WriterOptions): ThreadedStores {
  const rawStores = createRawStores(database, options.defaults);
  const writer = openWriter(options);
  const stores = mapMethods(rawStores, ({ store, name, kind, method }) => {
    const call: Method = (...args) => writer.call({ kind: 'call', store, method: name, args });
    return reportFailures(kind === 'read' ? method : call);
  });
  return { stores, close: writer.close };
}

function openWriter(options: WriterOptions) {
  const { dataDir, defaults, onThread, onAuditFailure, start = startWriterThread } = options;
  let startedAt = 0;
  let isClosed = false;
  let thread = begin();

  function begin(): Thread<ToWriter, FromWriter | Failed> {
    startedAt = performance.now();
    const next = createThread<ToWriter, FromWriter>('writer', start, (reason) => onThread?.('ended', reason));
    next.send(
      { kind: 'open', dataDir, defaults },
      {
        size: 0,
        settle(answer) {
          // A thread without its database is useless; the next call starts another one.
          if (answer.kind === 'failed' && next.isAlive()) {
            next.stop(answer.reason);
            onThread?.('ended', answer.reason);
          }
        },
      },
    );
    return next;
  }

  function replaceIfEnded(): void {
    if (isClosed || thread.isAlive() || performance.now() - startedAt < RESTART_MS) return;
    thread = begin();
    onThread?.('replaced');
  }

  return {
    async call(message: WriterCall): Promise<unknown> {
      replaceIfEnded();
      const called = Promise.withResolvers<CallResult>();
      thread.send(message, {
        size: 1,
        settle(answer, offset) {
          if (offset === 0) reportAuditFailures(answer, onAuditFailure);
          const result = answer.kind === 'called' ? answer.results[offset] : undefined;
          if (result === undefined) called.reject(toFailure(answer));
          else called.resolve(result);
        },
      });
      const result = await called.promise;
      if (!result.ok) throw toError(result);
      return result.value;
    },
    async close(): Promise<void> {
      isClosed = true;
      const answer = await thread.ask({ kind: 'close' });
      // The end of a thread was reported to `onThread`.
      const hasFailed = answer.kind === 'failed' && thread.isAlive();
      thread.stop();
      if (hasFailed) throw toFailure(answer);
    },
  };
}

/** All calls that share an answer have the same failures. */
function reportAuditFailures(answer: FromWriter | Failed, onAuditFailure: OnAuditFailure = () => {}): void {
  if (answer.kind !== 'called') return;
  for (const { action, reason } of answer.auditFailures) onAuditFailure(action, new Error(reason));
}

function toFailure(answer: FromWriter | Failed): StoreFailure {
  return new StoreFailure(answer.kind === 'failed' ? answer.reason : `unexpected answer: ${answer.kind}`);
}

/** Restores the error that the thread caught; `reportFailures` reads its code. */
function toError({ name, message, code }: Extract<CallResult, { readonly ok: false }>): Error {
  return Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) });
}
