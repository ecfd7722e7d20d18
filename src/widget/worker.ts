import type { FromThread, Kernel, ToThread } from './messages.ts';
import { createJsSolver, createWasmSolver, type Solver } from './solver.ts';
import { createSolverThread } from './solverThread.ts';

/**
 * The entry of the solver's bundle. `bundle.ts` wraps it in a function of `self`, so that the same text is the source of a worker,
 * and a function that the page calls with its own scope if workers are not allowed.
 */
declare const self: SolverScope;

/** The part of a worker's global scope that the solver uses. */
export type SolverScope = {
  postMessage(message: FromThread): void;
  onmessage: ((event: { readonly data: ToThread }) => void) | null;
  /** Set by the page; shorter slices keep it responsive. */
  readonly sliceMs?: number;
};

const WORKER_SLICE_MS = 2;

async function openSolver(kernel: Kernel | undefined): Promise<Solver> {
  if (kernel === undefined) return createJsSolver();
  try {
    return await createWasmSolver(kernel);
  } catch {
    // The content security policy lacks 'wasm-unsafe-eval'.
    return createJsSolver();
  }
}

/** A message to its own port takes 0.01 ms, but a timer of 0 ms takes 4 ms after a few calls. */
function createPause(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let resume: () => void = () => undefined;
  port1.onmessage = () => resume();
  return () =>
    new Promise((resolve) => {
      resume = resolve;
      port2.postMessage(0);
    });
}

const handle = createSolverThread({
  openSolver,
  post: (message) => self.postMessage(message),
  pause: createPause(),
  now: () => performance.now(),
  sliceMs: self.sliceMs ?? WORKER_SLICE_MS,
});
self.onmessage = (event) => handle(event.data);
