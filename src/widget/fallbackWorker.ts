import { createSimdSolver } from './simdSolver.ts';
import { createPlainSolver, createWasmSolver } from './solver.ts';
import { runSolver, type SolverScope } from './solverThread.ts';

/**
 * The worker's side of `/widget/solver.js`, which pages load if the kernel with SIMD or workers do not work. `bundle.ts` wraps it in a
 * function of `self`, like `worker.ts`.
 */
declare const self: SolverScope & {
  /** Set by the page if the solver runs on its own thread, which shorter slices keep responsive. */
  readonly sliceMs?: number;
};

/** Set by `bundle.ts`: the scalar kernel in base64. */
declare const POSTERN_KERNEL: string;

const scalarKernel = () => Uint8Array.from(atob(POSTERN_KERNEL), (unit) => unit.charCodeAt(0));

runSolver(
  self,
  () =>
    createSimdSolver()
      .catch(() => createWasmSolver(scalarKernel()))
      // The browser has no WebAssembly, or the content security policy lacks 'wasm-unsafe-eval'.
      .catch(createPlainSolver),
  self.sliceMs,
);
