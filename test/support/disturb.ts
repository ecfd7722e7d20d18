/** A writer thread whose connection a test can disturb: a full disk, a file that cannot be written. */
export type Disturbance = {
  readonly startWriter: () => Worker;
  /** Runs SQL on the writer thread's connection, before everything that is written from now on. */
  readonly run: (sql: string) => void;
  /** Ends the thread, as a crash would. */
  readonly terminate: () => void;
};

export function createDisturbance(): Disturbance {
  const url = new URL('./disturbedWriter.ts', import.meta.url).href;
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
