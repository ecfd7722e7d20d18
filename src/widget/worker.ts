import { createLane } from './lane.ts';
import type { FromLane, Kernel, ToLane } from './messages.ts';
import { createJsSolver, createWasmSolver, type Solver } from './solver.ts';

/**
 * The searcher's own bundle. `bundle.ts` wraps it as a function of `self`, so that one text serves twice:
 * as the source of a worker, and called by the page with a scope of its own where workers are blocked.
 */
declare const self: LaneScope;

/** The part of a worker's global scope that a lane uses. */
export type LaneScope = {
  postMessage(message: FromLane): void;
  onmessage: ((event: { readonly data: ToLane }) => void) | null;
  /** Set by the page: shorter slices keep it responsive. */
  readonly sliceMs?: number;
};

const WORKER_SLICE_MS = 2;

async function openSolver(kernel: Kernel | undefined): Promise<Solver> {
  if (kernel === undefined) return createJsSolver();
  try {
    return await createWasmSolver(kernel);
  } catch {
    // A policy without 'wasm-unsafe-eval'.
    return createJsSolver();
  }
}

/** A message to oneself takes 0.01 ms; a timer of 0 takes 4 ms after a few. */
function createPause(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let goOn: () => void = () => undefined;
  port1.onmessage = () => goOn();
  return () =>
    new Promise((resolve) => {
      goOn = resolve;
      port2.postMessage(0);
    });
}

const lane = createLane({
  openSolver,
  post: (message) => self.postMessage(message),
  pause: createPause(),
  now: () => performance.now(),
  sliceMs: self.sliceMs ?? WORKER_SLICE_MS,
});
self.onmessage = (event) => lane(event.data);
