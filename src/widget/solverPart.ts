import { definePart } from './fileParts.ts';
import {
  createOpenOnPage,
  createOpenWorker,
  deviceMemory,
  hardwareConcurrency,
  type SolverProgram,
  threadCountFor,
} from './openThreads.ts';
import { type Opener, solveInTurn } from './pool.ts';

/** The page's side of `/widget/solver.js`. */

/** The bundle of `fallbackWorker.ts` as a function, added by `bundle.ts`. */
declare const POSTERN_SOLVER: SolverProgram;

const onPage: Opener = [createOpenOnPage(POSTERN_SOLVER), 1];
const inWorkers: Opener = [
  createOpenWorker(POSTERN_SOLVER),
  threadCountFor(hardwareConcurrency, deviceMemory),
];

definePart(
  (openPool) => (work, onProgress, signal, mayUseWorkers) =>
    solveInTurn(mayUseWorkers ? [inWorkers, onPage] : [onPage], openPool, work, onProgress, signal),
);
