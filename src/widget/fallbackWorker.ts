import { createPlainSolver } from './plainSolver.ts';
import { runSolver, type SolverScope } from './solverScope.ts';
import { createWasmSolver } from './wasmSolver.ts';

/**
 * The entry of `/widget/solver.js`, which pages load if the kernel with SIMD does not work. `bundle.ts` wraps it in a function of `self`,
 * like `worker.ts`.
 */
declare const self: SolverScope;

/** Set by `bundle.ts`: the scalar kernel in base64. */
declare const POSTERN_KERNEL: string;

runSolver(self, async () => {
  try {
    return await createWasmSolver(Uint8Array.from(atob(POSTERN_KERNEL), (unit) => unit.charCodeAt(0)));
  } catch {
    // The browser has no WebAssembly, or the content security policy lacks 'wasm-unsafe-eval'.
    return createPlainSolver();
  }
});
