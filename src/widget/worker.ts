import { createSimdSolver } from './simdSolver.ts';
import { runSolver, type SolverScope } from './solverThread.ts';

/**
 * The entry of the solver's bundle. `bundle.ts` wraps it in a function of `self`, so that the same text is the source of a worker,
 * and a function that the page calls with its own scope if workers are not allowed.
 */
declare const self: SolverScope;

runSolver(self, createSimdSolver);
