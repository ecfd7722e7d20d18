import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromLane, Kernel, ToLane } from './messages.ts';
import type { Solver } from './solver.ts';

/** What a lane needs of its surroundings. */
export type LaneDeps = {
  readonly openSolver: (kernel: Kernel | undefined) => Promise<Solver>;
  readonly post: (message: FromLane) => void;
  /** Lets waiting messages and events through, then goes on. */
  readonly pause: () => Promise<void>;
  /** Milliseconds from any origin. */
  readonly now: () => number;
  /** About how long to search between two pauses. */
  readonly sliceMs: number;
};

type Search = { readonly index: number; prefix: number; counter: number };

const COUNTERS = 2 ** 32;
// WebAssembly engines swap in their better code between two calls, so the first slices are short.
const FIRST_SLICE = 256;
const LAST_SLICE = 65_536;

/**
 * A searcher that works in slices and can be told something else between two of them.
 *
 * @returns where to hand it the pool's messages; told to open, it says `ready` or `broken`
 */
export function createLane(deps: LaneDeps): (message: ToLane) => void {
  let solver: Solver | undefined;
  let threshold = 0;
  let search: Search | undefined;
  let isRunning = false;
  let sliceSize = FIRST_SLICE;

  function sliceOf(work: Search, worker: Solver): void {
    const count = Math.min(sliceSize, COUNTERS - work.counter);
    const startedAt = deps.now();
    const attempts = worker.search(work.prefix, work.counter, count, threshold);
    const elapsedMs = deps.now() - startedAt;
    if (attempts > 0) {
      search = undefined;
      deps.post({ kind: 'found', index: work.index, solution: solutionOf(work, attempts) });
      return;
    }
    if (elapsedMs < deps.sliceMs / 2) sliceSize = Math.min(sliceSize * 2, LAST_SLICE);
    if (elapsedMs > deps.sliceMs * 2) sliceSize = Math.max(sliceSize / 2, FIRST_SLICE);
    advance(work, count);
  }

  async function run(worker: Solver): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (search !== undefined) {
      sliceOf(search, worker);
      await deps.pause();
    }
    isRunning = false;
  }

  const fail = (cause: unknown) => deps.post({ kind: 'broken', reason: String(cause) });

  function open(kernel: Kernel | undefined): void {
    deps.openSolver(kernel).then((opened) => {
      solver = opened;
      deps.post({ kind: 'ready', usesWasm: opened.usesWasm });
    }, fail);
  }

  return (message) => {
    if (message.kind === 'open') open(message.kernel);
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

/** Past the last counter, bytes 2 and 3 of the solution go on. */
function advance(work: Search, count: number): void {
  work.counter += count;
  if (work.counter < COUNTERS) return;
  work.counter = 0;
  work.prefix += 0x10000;
}

function solutionOf(work: Search, attempts: number): Uint8Array {
  const solution = new Uint8Array(SOLUTION_SIZE);
  const view = new DataView(solution.buffer);
  view.setUint32(0, work.prefix, true);
  view.setUint32(4, work.counter + attempts - 1, true);
  return solution;
}
