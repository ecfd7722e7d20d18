import { definePart } from '../fileParts.ts';
import { deviceMemory, hardwareConcurrency, type SolverProgram, threadCountFor } from '../openThreads.ts';
import { createWorkerOpeners } from '../pageThreads.ts';
import { solveInTurn } from '../pool.ts';

/** The page's side of `/widget/hashwx.js`. */

/** The bundle of `worker.ts` as a function, added by `bundle.ts`. */
declare const POSTERN_SOLVER: SolverProgram;

const openers = createWorkerOpeners(POSTERN_SOLVER, threadCountFor(hardwareConcurrency, deviceMemory));

// Not on the page's own thread, where the compiler would make the page unresponsive: such pages get BLAKE2b puzzles.
definePart(
  (openPool) => (work, onProgress, signal) => solveInTurn(openers, openPool, work, onProgress, signal),
);
