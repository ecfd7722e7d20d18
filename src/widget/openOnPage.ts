import type { OpenThread, ToThread } from './messages.ts';
import type { SolverProgram } from './openWorker.ts';
import type { SolverScope } from './solverScope.ts';

// Less than the 16 ms of a frame.
const PAGE_SLICE_MS = 8;

/** Opens a solver thread on the page's own thread, for pages that do not allow workers. */
export function createOpenOnPage(program: SolverProgram): OpenThread {
  return (onMessage) => {
    const scope: SolverScope & { readonly sliceMs: number } = {
      postMessage: onMessage,
      onmessage: null,
      sliceMs: PAGE_SLICE_MS,
    };
    program(scope);
    const post = (data: ToThread) => scope.onmessage?.({ data });
    return { post, dispose: () => post(undefined) };
  };
}
