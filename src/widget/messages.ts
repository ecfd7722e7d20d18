/**
 * The messages between the pool and its solver threads. A solver thread is a worker, or the page's own thread if the page
 * does not allow workers.
 */

/** From the pool: `load` precedes the first `search`. */
export type ToThread =
  /** The puzzle: its block from `toBlock`, and the maximum hash as a u32. */
  | { readonly kind: 'load'; readonly block: Uint8Array; readonly threshold: number }
  /**
   * Searches for the solution with this index instead of the current one. `helper` (0..255) separates the search ranges of threads
   * that work on the same index.
   */
  | { readonly kind: 'search'; readonly index: number; readonly helper: number }
  /** Ends the search. */
  | { readonly kind: 'rest' };

/** To the pool. */
export type FromThread =
  /** The solver is open; the thread waits for `load`. */
  | { readonly kind: 'ready'; readonly usesWasm: boolean }
  /** A solution of 8 bytes. */
  | { readonly kind: 'found'; readonly index: number; readonly solution: Uint8Array }
  /** The thread does not work, or no longer works. */
  | { readonly kind: 'broken'; readonly reason: string };

/** The pool's connection to a solver thread. */
export interface ThreadPort {
  post(message: ToThread): void;
  close(): void;
}

/** Opens a solver thread. `onMessage` is never called before this function returns. @throws if the browser does not allow it */
export type OpenThread = (onMessage: (message: FromThread) => void) => ThreadPort;
