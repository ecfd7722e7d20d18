import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromThread, ToThread } from './messages.ts';
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

type Search = { readonly index: number; prefix: number; counter: number };

const COUNTERS = 2 ** 32;
// WebAssembly engines switch to optimized code between two calls, so the first slices are short.
const MIN_SLICE = 256;
const MAX_SLICE = 65_536;

/**
 * Opens the solver, and reports `ready` or `broken`. Then searches in slices and handles messages between them.
 *
 * @returns a function that handles the pool's messages
 */
export function createSolverThread(deps: SolverThreadDeps): (message: ToThread) => void {
  let solver: Solver | undefined;
  let threshold = 0;
  let search: Search | undefined;
  let isRunning = false;
  let sliceSize = MIN_SLICE;

  function searchSlice(current: Search, opened: Solver): void {
    const count = Math.min(sliceSize, COUNTERS - current.counter);
    const startedAt = deps.now();
    const attempts = opened.search(current.prefix, current.counter, count, threshold);
    const elapsedMs = deps.now() - startedAt;
    if (attempts > 0) {
      search = undefined;
      deps.post({
        kind: 'found',
        index: current.index,
        solution: solutionOf(current.prefix, current.counter + attempts - 1),
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

  const fail = (cause: unknown) => deps.post({ kind: 'broken', reason: String(cause) });

  deps.openSolver().then((opened) => {
    solver = opened;
    deps.post({ kind: 'ready', usesWasm: opened.usesWasm });
  }, fail);

  return (message) => {
    if (message.kind === 'rest') search = undefined;
    if (solver === undefined) return;
    if (message.kind === 'load') {
      threshold = message.threshold;
      solver.load(message.block);
    }
    if (message.kind === 'search') {
      search = { index: message.index, prefix: message.index | (message.helper << 8), counter: 0 };
      run(solver).catch(fail);
    }
  };
}

/** After the last counter, continues in bytes 2 and 3 of the solution. */
function advance(search: Search, count: number): void {
  search.counter += count;
  if (search.counter < COUNTERS) return;
  search.counter = 0;
  search.prefix += 0x10000;
}

/** @param prefix u32 @param counter u32 @returns the 8 bytes of a solution */
export function solutionOf(prefix: number, counter: number): Uint8Array {
  const solution = new Uint8Array(SOLUTION_SIZE);
  const view = new DataView(solution.buffer);
  view.setUint32(0, prefix, true);
  view.setUint32(4, counter, true);
  return solution;
}
