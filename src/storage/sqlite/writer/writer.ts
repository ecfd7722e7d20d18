import { reasonOf } from '../../../lib/log.ts';
import type { Quotas } from '../../../model/plan.ts';
import { StoreFailure } from '../../../model/storeFailure.ts';
import { keepThread, type StartWorker } from '../../../threads/worker.ts';
import { type Method, mapMethods } from '../../methods.ts';
import type { OnAuditFailure, OnThread, Stores } from '../../storage.ts';
import { createRawStores } from '../createStores.ts';
import { reportFailures } from '../failures.ts';
import type { MainDatabase } from '../open.ts';
import type { CallResult, WriterCall } from './writeGroup.ts';
import type { GroupResult, WriterMethods } from './writerThread.ts';

/** Writes fail until a thread that has ended is replaced, so the first replacement starts immediately. */
const DELAYS = { firstMs: 1, longestMs: 500 };

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
    const call: Method = (...args) => writer.call({ store, method: name, args });
    return reportFailures(kind === 'read' ? method : call);
  });
  return { stores, close: writer.close };
}

function openWriter({ dataDir, defaults, onThread, onAuditFailure, start }: WriterOptions) {
  const { current, release } = keepThread<WriterMethods>({
    name: 'writer',
    start,
    open: (thread) => thread.call('open', { dataDir, defaults }),
    delays: DELAYS,
    onEnded: (reason) => onThread?.('ended', reason),
    onReplaced: () => onThread?.('replaced'),
  });

  return {
    async call(call: WriterCall): Promise<unknown> {
      const called = Promise.withResolvers<CallResult>();
      current().send('run', call, {
        size: 1,
        settle(answer, offset) {
          if ('reason' in answer) return called.reject(new StoreFailure(answer.reason));
          if (offset === 0) reportAuditFailures(answer.result, onAuditFailure);
          called.resolve(answer.result.results[offset] as CallResult);
        },
      });
      const result = await called.promise;
      if (!result.ok) throw toError(result);
      return result.value;
    },
    async close(): Promise<void> {
      release();
      const thread = current();
      await thread.quiet();
      try {
        await thread.call('close', undefined);
      } catch (error) {
        // The end of a thread was reported to `onThread`.
        if (thread.isAlive()) throw new StoreFailure(reasonOf(error));
      } finally {
        thread.stop();
      }
    },
  };
}

/** All calls that share an answer have the same failures. */
function reportAuditFailures({ auditFailures }: GroupResult, onAuditFailure: OnAuditFailure = () => {}) {
  for (const { action, reason } of auditFailures) onAuditFailure(action, new Error(reason));
}

/** Restores the error that the thread caught; `reportFailures` reads its code. */
function toError({ name, message, code }: Extract<CallResult, { readonly ok: false }>): Error {
  return Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) });
}
