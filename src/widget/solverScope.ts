import type { FromThread, ToThread } from './messages.ts';
import type { Solver } from './solver.ts';
import { createSolverThread } from './solverThread.ts';

/** The part of a worker's global scope that the solver uses. */
export type SolverScope = {
  postMessage(message: FromThread): void;
  onmessage: ((event: { readonly data: ToThread }) => void) | null;
};

const WORKER_SLICE_MS = 2;

/** @returns a function that handles waiting messages and events. A message to its own port takes 0.01 ms, but a timer of 0 ms takes 4 ms after a few calls. */
export function createPause(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let resume: () => void = () => undefined;
  port1.onmessage = () => resume();
  return () =>
    new Promise((resolve) => {
      resume = resolve;
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
