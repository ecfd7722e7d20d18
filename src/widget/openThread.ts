import type { OpenThread } from './pool.ts';
import type { SolverScope } from './solverScope.ts';

/** The bundle of `worker.ts` as a function of its scope. */
export type SolverProgram = (scope: SolverScope) => void;

// Less than the 16 ms of a frame.
const PAGE_SLICE_MS = 8;

/**
 * Opens solver threads in workers. If the browser does not allow workers, the thread reports `broken`, immediately or later.
 *
 * @param source the program, or the URL of a script on the page's own origin that runs it in workers
 */
export function createOpenWorker(source: SolverProgram | string): OpenThread {
  return (onMessage) => {
    try {
      return openWorker(source, onMessage);
    } catch (cause) {
      // The constructor throws because of worker-src or trusted types.
      queueMicrotask(() => onMessage({ kind: 'broken', reason: String(cause) }));
      return { post: () => undefined, close: () => undefined };
    }
  };
}

/** Opens a solver thread on the page's own thread. */
export function createOpenOnPage(program: SolverProgram): OpenThread {
  return (onMessage) => {
    let isOpen = true;
    const scope: SolverScope = {
      postMessage: (message) => {
        if (isOpen) onMessage(message);
      },
      onmessage: null,
      sliceMs: PAGE_SLICE_MS,
    };
    program(scope);
    return {
      post: (message) => {
        if (isOpen) scope.onmessage?.({ data: message });
      },
      close: () => {
        isOpen = false;
        scope.onmessage?.({ data: { kind: 'rest' } });
      },
    };
  };
}

const openWorker = (
  source: SolverProgram | string,
  onMessage: Parameters<OpenThread>[0],
): ReturnType<OpenThread> => {
  const url = typeof source === 'string' ? source : blobUrlOf(source);
  const worker = workerAt(url);
  worker.onmessage = (event) => onMessage(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    onMessage({ kind: 'broken', reason: event.message || 'the worker did not start' });
  };
  return {
    post: (message) => worker.postMessage(message),
    close: () => {
      worker.terminate();
      // Has an effect only on the URLs of blobs.
      URL.revokeObjectURL(url);
    },
  };
};

/** @throws if trusted types forbid it, after revoking the URL */
function workerAt(url: string): Worker {
  try {
    return new Worker(url);
  } catch (cause) {
    URL.revokeObjectURL(url);
    throw cause;
  }
}

function blobUrlOf(program: SolverProgram): string {
  return URL.createObjectURL(new Blob([`(${program})(self)`], { type: 'text/javascript' }));
}
