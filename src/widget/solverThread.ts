import type { Solver } from './solver.ts';

/** A solver thread, which is a worker, or the page's own thread if the page does not allow workers, and its messages. */

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

type Search = Omit<Task, 'prefix'> & { prefix: number; counter: number };

const COUNTERS = 2 ** 32;
// WebAssembly engines switch to optimized code between two calls, so the first slices are short.
const MIN_SLICE = 16;
const MAX_SLICE = 65_536;

/**
 * Opens the solver, and reports `open` or `broken`. Then searches in slices and handles messages between them.
 *
 * @param pause handles waiting messages and events, then resolves
 * @param now returns the milliseconds since a fixed point in time
 * @param sliceMs approximate duration of a search between two pauses
 * @returns a function that handles the pool's messages
 */
export function createSolverThread(
  openSolver: () => Promise<Solver>,
  post: (message: FromThread) => void,
  pause: () => Promise<unknown>,
  now: () => number,
  sliceMs: number,
): (task: ToThread) => void {
  let solver: Solver | undefined;
  let search: Search | undefined;
  let isRunning = false;
  let sliceSize = MIN_SLICE;

  function searchSlice(current: Search, opened: Solver): void {
    const count = Math.min(sliceSize, COUNTERS - current.counter);
    const startedAt = now();
    const attempts = opened.searchRange(current.prefix, current.counter, count, current.threshold);
    const elapsedMs = now() - startedAt;
    if (attempts) {
      search = undefined;
      post({
        kind: 'found',
        solution: solutionOf(current.prefix, current.counter + attempts - 1),
        usesWasm: opened.usesWasm,
      });
      return;
    }
    if (elapsedMs < sliceMs / 2) sliceSize = Math.min(sliceSize * 2, MAX_SLICE);
    if (elapsedMs > sliceMs * 2) sliceSize = Math.max(sliceSize / 2, MIN_SLICE);
    current.counter += count;
    if (current.counter < COUNTERS) return;
    // After the last counter, the search continues in bytes 2 and 3 of the solution.
    current.counter = 0;
    current.prefix += 0x10000;
  }

  async function run(opened: Solver): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (search) {
      searchSlice(search, opened);
      await pause();
    }
    isRunning = false;
  }

  const fail = (cause: unknown) => post({ kind: 'broken', reason: `${cause}` });

  openSolver().then((opened) => {
    solver = opened;
    post({ kind: 'open' });
  }, fail);

  return (task) => {
    search = task && { ...task, counter: 0 };
    if (!solver || !task) return;
    solver.load(task.block);
    run(solver).catch(fail);
  };
}

/** @param prefix u32 @param counter u32 @returns the 8 bytes of a solution. Like the kernels, it requires a little-endian device */
export function solutionOf(prefix: number, counter: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(prefix, counter).buffer);
}

/** The part of a worker's global scope that the solver uses. */
export type SolverScope = {
  postMessage(message: FromThread): void;
  onmessage: ((event: { readonly data: ToThread }) => void) | null;
};

const WORKER_SLICE_MS = 2;

/** @returns a function that handles waiting messages and events. A message to its own port takes 0.01 ms, but a timer of 0 ms takes 4 ms after a few calls. */
export function createPause(): () => Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  return () =>
    new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(0);
    });
}

/**
 * Solves puzzles in a scope, which is a worker's, or an object of a page that does not allow workers.
 *
 * @param sliceMs approximate duration of a search between two messages
 */
export function runSolver(
  scope: SolverScope,
  openSolver: () => Promise<Solver>,
  sliceMs: number = WORKER_SLICE_MS,
): void {
  const handle = createSolverThread(
    openSolver,
    (message) => scope.postMessage(message),
    createPause(),
    () => performance.now(),
    sliceMs,
  );
  scope.onmessage = (event) => handle(event.data);
}
