import type { FromThread, Task, ToThread } from './messages.ts';
import type { Solver } from './solver.ts';

export type SolverThreadDeps = {
  readonly openSolver: () => Promise<Solver>;
  readonly post: (message: FromThread) => void;
  /** Handles waiting messages and events, then resolves. */
  readonly pause: () => Promise<void>;
  /** Milliseconds since a fixed point in time. */
  readonly now: () => number;
  /** Approximate duration of a search between two pauses. */
  readonly sliceMs: number;
};

type Search = Omit<Task, 'prefix'> & { prefix: number; counter: number };

const COUNTERS = 2 ** 32;
// WebAssembly engines switch to optimized code between two calls, so the first slices are short.
const MIN_SLICE = 256;
const MAX_SLICE = 65_536;

/**
 * Opens the solver, and reports `open` or `broken`. Then searches in slices and handles messages between them.
 *
 * @returns a function that handles the pool's messages
 */
export function createSolverThread(deps: SolverThreadDeps): (task: ToThread) => void {
  let solver: Solver | undefined;
  let search: Search | undefined;
  let isRunning = false;
  let sliceSize = MIN_SLICE;

  function searchSlice(current: Search, opened: Solver): void {
    const count = Math.min(sliceSize, COUNTERS - current.counter);
    const startedAt = deps.now();
    const attempts = opened.search(current.prefix, current.counter, count, current.threshold);
    const elapsedMs = deps.now() - startedAt;
    if (attempts > 0) {
      search = undefined;
      deps.post({
        kind: 'found',
        solution: solutionOf(current.prefix, current.counter + attempts - 1),
        usesWasm: opened.usesWasm,
      });
      return;
    }
    if (elapsedMs < deps.sliceMs / 2) sliceSize = Math.min(sliceSize * 2, MAX_SLICE);
    if (elapsedMs > deps.sliceMs * 2) sliceSize = Math.max(sliceSize / 2, MIN_SLICE);
    advance(current, count);
  }

  async function run(opened: Solver): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (search !== undefined) {
      searchSlice(search, opened);
      await deps.pause();
    }
    isRunning = false;
  }

  const fail = (cause: unknown) => deps.post({ kind: 'broken', reason: `${cause}` });

  deps.openSolver().then((opened) => {
    solver = opened;
    deps.post({ kind: 'open' });
  }, fail);

  return (task) => {
    search = task && { ...task, counter: 0 };
    if (solver === undefined || task === undefined) return;
    solver.load(task.block);
    run(solver).catch(fail);
  };
}

/** After the last counter, continues in bytes 2 and 3 of the solution. */
function advance(search: Search, count: number): void {
  search.counter += count;
  if (search.counter < COUNTERS) return;
  search.counter = 0;
  search.prefix += 0x10000;
}

/** @param prefix u32 @param counter u32 @returns the 8 bytes of a solution. Like the kernels, it requires a little-endian device */
export function solutionOf(prefix: number, counter: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(prefix, counter).buffer);
}
