import type { FromThread, OpenThread } from './messages.ts';
import { createQueue, type Searcher, type Solved, type Work } from './queue.ts';

/** Opens this number of solver threads. */
export type Opener = readonly [open: OpenThread, count: number];

export type Later = (milliseconds: number, run: () => void) => void;

/** The solver threads for one puzzle. They start with the pool, so that they are ready when the puzzle arrives. */
export interface Pool {
  /**
   * Solves a puzzle. Call it only once. The threads remain open.
   *
   * @param onProgress called with the number of solutions found, after each of them
   * @throws if the pool fails
   */
  solve(work: Work, onProgress: (found: number) => void): Promise<Solved>;
  /** Rejects when no thread works; with `NO_RESPONSE` if none responds. Otherwise, it stays pending. */
  readonly failure: Promise<never>;
  /** Closes all threads; a pending `solve` stays pending. */
  dispose(): void;
}

export const NO_RESPONSE = new Error('no response');

// Workers that a policy blocks may never respond; a slow phone starts one within a second.
const START_TIMEOUT_MS = 4000;

type Thread = Searcher & { isOpen?: boolean };

/**
 * Invariant: the threads share one queue of indexes, and a thread without an index of its own helps with an index that is not solved
 * yet. No thread is idle while another works, so the slowest thread does not determine the total time.
 */
export function createPool([open, count]: Opener, later: Later): Pool {
  let threads: Thread[] = [];
  let queue: ReturnType<typeof createQueue> | undefined;
  let isLate = false;
  let reject: (cause: unknown) => void;
  // It may precede the call of `solve` or follow its end.
  const failure = new Promise<never>((_, onFailure) => {
    reject = onFailure;
  });
  failure.catch(() => undefined);

  function dispose(): void {
    for (const { port } of threads) port.dispose();
    threads = [];
  }

  function fail(cause: unknown): void {
    dispose();
    reject(cause);
  }

  function handle(thread: Thread, message: FromThread): void {
    if (!threads.includes(thread)) return;
    if (message.kind === 'open') {
      thread.isOpen = true;
      queue?.assign(thread);
    }
    if (message.kind === 'found') queue?.add(message);
    if (message.kind !== 'broken') return;
    thread.port.dispose();
    threads = threads.filter((other) => other !== thread);
    if (threads.length === 0) fail(new Error(message.reason));
    else failIfSilent();
  }

  /** A thread that is still closed after the time limit is not expected to open. */
  function failIfSilent(): void {
    if (isLate && threads.length > 0 && !threads.some(({ isOpen }) => isOpen)) fail(NO_RESPONSE);
  }

  try {
    for (let i = 0; i < count; i++) {
      const thread: Thread = { port: open((message) => handle(thread, message)) };
      threads.push(thread);
    }
  } catch (cause) {
    fail(cause);
  }

  later(START_TIMEOUT_MS, () => {
    isLate = true;
    failIfSilent();
  });

  return {
    solve: (work, onProgress) =>
      new Promise((resolve, onFailure) => {
        queue = createQueue(work, () => threads, onProgress, resolve);
        failure.catch(onFailure);
        for (const thread of threads) if (thread.isOpen) queue.assign(thread);
      }),
    failure,
    dispose,
  };
}
