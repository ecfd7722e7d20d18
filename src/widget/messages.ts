/**
 * The messages between the pool and its solver threads. A solver thread is a worker, or the page's own thread if the page
 * does not allow workers.
 */

/** A search for one solution of a puzzle. */
export type Task = {
  /** The puzzle's block from `toBlock`. */
  readonly block: Uint8Array;
  /** The maximum hash as a u32. */
  readonly threshold: number;
  /**
   * The first two bytes of the solution as an integer: its index and, in the higher byte, a number that separates the search ranges of
   * threads that work on the same index.
   */
  readonly prefix: number;
};

/** From the pool: a task, which replaces the current one; undefined ends the search. */
export type ToThread = Task | undefined;

/** To the pool. */
export type FromThread =
  /** The solver is open; the thread waits for a task. */
  | { readonly kind: 'open' }
  /** A solution of 8 bytes. */
  | { readonly kind: 'found'; readonly solution: Uint8Array; readonly usesWasm: boolean }
  /** The thread does not work, or no longer works. */
  | { readonly kind: 'broken'; readonly reason: string };

/** The pool's connection to a solver thread. */
export interface ThreadPort {
  post(task: ToThread): void;
  dispose(): void;
}

/** Opens a solver thread. `onMessage` is never called before this function returns. @throws if the browser does not allow it */
export type OpenThread = (onMessage: (message: FromThread) => void) => ThreadPort;
