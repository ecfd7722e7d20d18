import type { Solver } from '../solver.ts';
import { createPause, createSolverThread, type SolverScope } from '../solverThread.ts';
import { createModuleSearch } from './module.ts';
import { openPlainSearch } from './plain.ts';
import { createSolver, requireSpeed, toSolution } from './search.ts';

/**
 * The entry of `/widget/hashwx.js`, which pages load when they receive a HashWX puzzle. `bundle.ts` wraps it in a function of `self`,
 * like `../worker.ts`.
 */
declare const self: SolverScope;

/** Engines optimize the module during the first slices. A slice takes at most twice as long. */
const SLICE_MS = 5;

const now = () => performance.now();

/** Opens the solver with WebAssembly, or that in JavaScript if the browser or the policy does not allow it. */
async function openSolver(): Promise<Solver> {
  try {
    const open = createModuleSearch();
    // The policy blocks modules, but not the memory.
    open(new Int32Array(8));
    return createSolver(open, true);
  } catch {
    return requireSpeed(createSolver(openPlainSearch, false), now);
  }
}

const handle = createSolverThread(
  openSolver,
  (message) =>
    self.postMessage(
      message.kind === 'found' ? { ...message, solution: toSolution(message.solution) } : message,
    ),
  createPause(),
  now,
  SLICE_MS,
);
self.onmessage = (event) => handle(event.data);
