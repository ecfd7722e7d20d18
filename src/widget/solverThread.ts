import type { FromThread, Task, ToThread } from './messages.ts';
import type { Solver } from './solver.ts';

type Search = Omit<Task, 'prefix'> & { prefix: number; counter: number };

const COUNTERS = 2 ** 32;
// WebAssembly engines switch to optimized code between two calls, so the first slices are short.
const MIN_SLICE = 256;
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
  pause: () => Promise<void>,
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
    if (attempts > 0) {
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
    advance(current, count);
  }

  async function run(opened: Solver): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (search !== undefined) {
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
