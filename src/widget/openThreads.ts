import { attempt } from './console.ts';
import type { OpenThread, SolverScope, ToThread } from './solverThread.ts';

/** `deviceMemory`: GiB, 0.25 to 8 (W3C Device Memory); most browsers do not disclose it. */
export const { deviceMemory, hardwareConcurrency } = navigator as Navigator & {
  readonly deviceMemory?: number;
};

/**
 * @param memory GiB
 * @returns one thread per core, at least 2 (some browsers hide the number) and at most 8; at most 2 per GiB of memory
 */
export function threadCountFor(cores: number | undefined, memory: number | undefined): number {
  return Math.min(Math.max(cores ?? 2, 2), Math.max(1, 2 * (memory ?? 4)), 8);
}

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
    url = url ?? (typeof source === 'string' ? source : URL.createObjectURL(new Blob([`(${source})(self)`])));
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
