import { reasonOf } from '../lib/log.ts';
import { connectThread, type Methods, type RemoteThread } from './protocol.ts';

/** The entry files of the threads in `src/`. `build/compile.ts` passes them to the bundler, which does not follow the file name of a worker. */
export const THREAD_ENTRIES = {
  argon2id: 'server/argon2id/argon2idThread.ts',
  ledger: 'storage/sqlite/ledger/ledgerThread.ts',
  request: 'server/threads/requestThread.ts',
  writer: 'storage/sqlite/writer/writerThread.ts',
} as const;

export type ThreadName = keyof typeof THREAD_ENTRIES;

/** Creates the worker. Tests pass their own function so that they can end it. */
export type StartWorker = () => Worker;

/** Starts the worker of a thread. In a compiled binary, all modules are at the root, but a worker's entry file keeps its path. */
export function startWorker(name: ThreadName): Worker {
  const isSource = import.meta.url.endsWith('/src/threads/worker.ts');
  const url = new URL(`${isSource ? '..' : '.'}/${THREAD_ENTRIES[name]}`, import.meta.url);
  return new Worker(url.href, { smol: true });
}

/** A thread, as seen by the thread that started it. */
export type StartedThread<Remote extends Methods> = RemoteThread<Remote> & {
  /** Terminates the thread. Its calls are rejected with the reason. @returns false if the thread has already ended */
  readonly stop: (reason?: string) => boolean;
};

export type ThreadOptions = {
  readonly name: ThreadName;
  readonly start?: StartWorker | undefined;
  /** The functions that the thread may call. */
  readonly local?: Methods | undefined;
};

/** @param onEnd called when the thread ends without `stop`; all calls have been rejected by then */
export function startThread<Remote extends Methods>(
  { name, start = () => startWorker(name), local = {} }: ThreadOptions,
  onEnd: (reason: string) => void,
): StartedThread<Remote> {
  const worker = start();
  const remote = connectThread<Remote>(worker, local, `${name} thread`, onEnd);
  worker.onerror = ({ message }) => {
    const reason = `the ${name} thread failed: ${message}`;
    if (remote.end(reason)) onEnd(reason);
  };
  return {
    ...remote,
    stop(reason = `the ${name} thread was stopped`) {
      const wasAlive = remote.end(reason);
      worker.terminate();
      return wasAlive;
    },
  };
}

/** A thread that is replaced when it ends. */
export type KeptThread<Remote extends Methods, Opened = unknown> = {
  /** The newest thread. It may have ended. */
  readonly current: () => StartedThread<Remote>;
  /** The result of `open` for the first thread. @throws (rejects) if it cannot be opened; it is replaced anyway */
  readonly opened: Promise<Opened>;
  /** Stops replacing threads. The caller stops the current thread. */
  readonly release: () => void;
};

export type KeepOptions<Remote extends Methods, Opened> = ThreadOptions & {
  /** Prepares a new thread. If it fails, the thread is stopped and replaced. Other calls can already be sent. */
  readonly open: (thread: StartedThread<Remote>) => Promise<Opened>;
  readonly delays: RestartDelays;
  /** Called when a thread has ended, or could not be opened. */
  readonly onEnded: (reason: string) => void;
  /** Called when another thread is open. */
  readonly onReplaced: () => void;
};

/** Starts a thread, and replaces it when it ends. @throws if the first worker cannot be created */
export function keepThread<Remote extends Methods, Opened = unknown>(
  options: KeepOptions<Remote, Opened>,
): KeptThread<Remote, Opened> {
  const delay = createRestartDelay(options.delays, () => performance.now());
  let isReleased = false;

  function onEnd(reason: string): void {
    if (isReleased) return;
    replaceLater();
    options.onEnded(reason);
  }

  function replaceLater(): void {
    setTimeout(replace, delay.next()).unref();
  }

  function replace(): void {
    if (isReleased) return;
    try {
      thread = startThread(options, onEnd);
    } catch {
      replaceLater();
      return;
    }
    open(thread).then(options.onReplaced, () => {});
  }

  async function open(next: StartedThread<Remote>): Promise<Opened> {
    try {
      const result = await options.open(next);
      delay.started();
      return result;
    } catch (error) {
      const reason = reasonOf(error);
      if (next.stop(reason)) onEnd(reason);
      throw error;
    }
  }

  let thread = startThread<Remote>(options, onEnd);
  const opened = open(thread);
  // A caller that does not need the first thread sees the failure in its calls.
  opened.catch(() => {});
  return {
    current: () => thread,
    opened,
    release() {
      isReleased = true;
    },
  };
}

/** The delay until a thread that has ended is replaced, in milliseconds. */
export type RestartDelays = { readonly firstMs: number; readonly longestMs: number };

/** If a thread runs for at least this time, its start is not the reason for its end. */
const STABLE_MS = 60_000;

/**
 * Creates the delays for one thread. The delay doubles each time a replacement cannot start or ends within a minute, because the next one
 * will probably end for the same reason.
 *
 * @param now in milliseconds
 * @returns `started`, to call when a thread is open, and `next`, which returns the delay after a thread has ended
 */
export function createRestartDelay({ firstMs, longestMs }: RestartDelays, now: () => number) {
  let delay = firstMs;
  let startedAt: number | undefined;
  return {
    started(): void {
      startedAt = now();
    },
    next(): number {
      if (startedAt !== undefined && now() - startedAt >= STABLE_MS) delay = firstMs;
      startedAt = undefined;
      const current = delay;
      delay = Math.min(delay * 2, longestMs);
      return current;
    },
  };
}
