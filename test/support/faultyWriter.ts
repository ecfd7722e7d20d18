/** A writer thread in which a test can cause failures, such as a full disk or a file that cannot be written. */
export type FaultyWriter = {
  readonly startWriter: () => Worker;
  /** Runs SQL on the connection of the writer thread before the next write. */
  readonly run: (sql: string) => void;
  /** Terminates the thread, like a crash. */
  readonly terminate: () => void;
};

export function createFaultyWriter(): FaultyWriter {
  const url = new URL('./faultyWriterThread.ts', import.meta.url).href;
  let worker: Worker | undefined;
  return {
    startWriter: () => {
      worker = new Worker(url, { smol: true });
      return worker;
    },
    run: (sql) => worker?.postMessage({ sql }),
    terminate: () => worker?.terminate(),
  };
}
