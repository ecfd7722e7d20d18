import { attempt } from './console.ts';
import type { OpenThread } from './messages.ts';
import type { SolverScope } from './solverScope.ts';

/** The bundle of `worker.ts` as a function of its scope. */
export type SolverProgram = (scope: SolverScope) => void;

/**
 * Opens solver threads in workers. If the browser does not allow workers, the opener throws, because of worker-src or trusted types, or
 * the thread reports `broken`.
 *
 * @param source the program, or the URL of a script on the page's own origin that runs it in workers
 */
export function createOpenWorker(source: SolverProgram | string): OpenThread {
  let url: string | undefined;
  return (onMessage) => {
    // The URL of a blob remains valid, because later checks also use it.
    url = url ?? (typeof source === 'string' ? source : blobUrlOf(source));
    const worker = new Worker(url);
    const fail = (reason: string) => onMessage({ kind: 'broken', reason });
    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message);
    };
    worker.onmessage = (event) => {
      try {
        onMessage(event.data);
      } catch (cause) {
        fail(`${cause}`);
      }
    };
    return {
      post: (message) => worker.postMessage(message),
      dispose: () => attempt(() => worker.terminate()),
    };
  };
}

function blobUrlOf(program: SolverProgram): string {
  return URL.createObjectURL(new Blob([`(${program})(self)`]));
}
