import { definePart } from '../fileParts.ts';
import {
  createOpenOnPage,
  deviceMemory,
  hardwareConcurrency,
  type SolverProgram,
  threadCountFor,
} from '../openThreads.ts';
import { createWorkerOpeners } from '../pageThreads.ts';
import { type Opener, solveInTurn } from '../pool.ts';

/** The page's side of `/widget/argon2id.js`. */

/** The bundle of `worker.ts` as a function, added by `bundle.ts`. */
declare const POSTERN_SOLVER: SolverProgram;

/** GiB. Devices with less memory solve BLAKE2b puzzles. */
const MIN_MEMORY = 0.5;

/** GiB. Threads with 16 MiB each are limited to four on devices that do not disclose their memory. */
const ASSUMED_MEMORY = 2;

const count = threadCountFor(hardwareConcurrency, deviceMemory ?? ASSUMED_MEMORY);
const onPage: Opener = [createOpenOnPage(POSTERN_SOLVER), 1];
const inWorkers = createWorkerOpeners(POSTERN_SOLVER, count);

definePart((openPool) => async (work, onProgress, signal) => {
  if (deviceMemory && deviceMemory < MIN_MEMORY) throw new Error('not enough memory');
  const openers = [...inWorkers, onPage];
  return solveInTurn(openers, openPool, work, onProgress, signal);
});
