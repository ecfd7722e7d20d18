import type { OpenLane } from './pool.ts';
import type { LaneScope } from './worker.ts';

/** The bundle of `worker.ts` as a function of its scope. */
export type LaneProgram = (scope: LaneScope) => void;

// Below 16 ms a frame is kept.
const PAGE_SLICE_MS = 8;

/**
 * Opens lanes in workers. Where the browser refuses, the lane says `broken`, at once or later.
 *
 * @param source the lane's program, or the address of a script on the page's own origin that runs it in workers
 */
export function createOpenWorker(source: LaneProgram | string): OpenLane {
  return (hear) => {
    try {
      return openWorker(source, hear);
    } catch (cause) {
      // A policy may make the constructor throw: worker-src, or trusted types.
      queueMicrotask(() => hear({ kind: 'broken', reason: String(cause) }));
      return { post: () => undefined, close: () => undefined };
    }
  };
}

/** Opens a lane on the page's own thread. */
export function createOpenHere(program: LaneProgram): OpenLane {
  return (hear) => {
    let isOpen = true;
    const scope: LaneScope = {
      postMessage: (message) => {
        if (isOpen) hear(message);
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

const openWorker = (source: LaneProgram | string, hear: Parameters<OpenLane>[0]): ReturnType<OpenLane> => {
  const url = typeof source === 'string' ? source : blobOf(source);
  const worker = workerAt(url);
  worker.onmessage = (event) => hear(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    hear({ kind: 'broken', reason: event.message || 'the worker did not start' });
  };
  return {
    post: (message) => worker.postMessage(message),
    close: () => {
      worker.terminate();
      // Of another address than a blob's it takes no notice.
      URL.revokeObjectURL(url);
    },
  };
};

/** @throws where trusted types forbid it; then nothing is left behind */
function workerAt(url: string): Worker {
  try {
    return new Worker(url);
  } catch (cause) {
    URL.revokeObjectURL(url);
    throw cause;
  }
}

function blobOf(program: LaneProgram): string {
  return URL.createObjectURL(new Blob([`(${program})(self)`], { type: 'text/javascript' }));
}
