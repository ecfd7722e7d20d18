import type { Quotas } from '../../model/plan.ts';
import { StoreFailure } from '../../model/storeFailure.ts';
import { reportingFailures } from './failures.ts';
import type { MainDatabase } from './open.ts';
import { createStores, type Stores } from './stores.ts';
import { createThread, type Failed, type StartWorker, type Thread, workerUrl } from './thread.ts';
import type { CallResult, FromWriter, ToWriter, WriterCall } from './writerMessages.ts';

/**
 * The methods that only read. They run on the calling thread's own connection; every other method runs in the writer
 * thread, so a method that is missing here is slower, not wrong.
 */
const READS: { readonly [Name in keyof Stores]: readonly (keyof Stores[Name])[] } = {
  accounts: ['list', 'byEmail', 'byId', 'search', 'summaryOf', 'count'],
  organizations: ['byId', 'list', 'overview', 'isMember', 'members'],
  properties: ['byId', 'list', 'slice', 'search', 'bySitekey'],
  apiKeys: ['list', 'byId', 'byKeyHash', 'expiring'],
  signingKeys: ['list'],
  installation: ['isInMaintenance'],
  plans: ['list'],
  tasks: ['byId', 'page'],
  statistics: ['byHour', 'byDay'],
  audit: ['page'],
  invitations: ['list', 'byTokenHash'],
  credentials: ['byId', 'byEmail', 'hasSomebody'],
  sessions: ['bySecretHash', 'list', 'isAt'],
  secondFactors: ['byAccount', 'recoveryLeft'],
};

/** A thread that ended is not replaced sooner than this after its start, in milliseconds. */
const RESTART_MS = 500;

export type WriterOptions = {
  readonly dataDir: string;
  /** Quotas of the default plan while the database has none. */
  readonly defaults: Quotas;
  /** Called when the thread has ended by itself, and when another one has replaced it. */
  readonly onThread?: (event: 'ended' | 'replaced', reason?: string) => void;
  readonly start?: StartWorker;
};

/** Every port, with the writes in a thread of their own. */
export type ThreadedStores = {
  readonly stores: Stores;
  /** Waits for the writes that have been sent. */
  readonly close: () => Promise<void>;
};

export const startWriterThread: StartWorker = () => new Worker(workerUrl('writerThread.ts'), { smol: true });

/**
 * Stores whose reads use `database` and whose writes go to the writer thread, which commits in groups. A promise of a
 * write resolves when the write is on the disk; a read after it sees it. No fsync blocks the calling thread.
 *
 * @param database migrated; stays open
 */
export function openThreadedStores(database: MainDatabase, options: WriterOptions): ThreadedStores {
  const local = createStores(database, options.defaults);
  const writer = openWriter(options);
  const names = Object.keys(local) as (keyof Stores)[];
  const stores = Object.fromEntries(names.map((name) => [name, threaded(name, local[name], writer.call)]));
  return { stores: stores as Stores, close: writer.close };
}

type Call = (call: WriterCall) => Promise<unknown>;

function threaded(store: keyof Stores, local: object, call: Call): object {
  const reads: readonly string[] = READS[store];
  const writes = Object.keys(local).filter((method) => !reads.includes(method));
  const remote = writes.map((method) => [
    method,
    (...args: readonly unknown[]) => call({ kind: 'call', store, method, args }),
  ]);
  return { ...local, ...reportingFailures(Object.fromEntries(remote)) };
}

function openWriter({ dataDir, defaults, onThread, start = startWriterThread }: WriterOptions) {
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
    call(message: WriterCall): Promise<unknown> {
      replaceIfEnded();
      return new Promise((resolve, reject) => {
        const settle = (answer: FromWriter | Failed, offset: number) => {
          const result = answer.kind === 'called' ? answer.results[offset] : undefined;
          if (result?.ok) resolve(result.value);
          else reject(result === undefined ? failureOf(answer) : errorOf(result));
        };
        thread.send(message, { size: 1, settle });
      });
    },
    async close(): Promise<void> {
      isClosed = true;
      await thread.ask({ kind: 'close' });
      thread.stop();
    },
  };
}

function failureOf(answer: FromWriter | Failed): StoreFailure {
  return new StoreFailure(answer.kind === 'failed' ? answer.reason : `unexpected answer: ${answer.kind}`);
}

/** The error as the thread caught it; `tellingFailures` looks at its code. */
function errorOf({ name, message, code }: Extract<CallResult, { readonly ok: false }>): Error {
  return Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) });
}
