import { createPacer, type Pacer, SLICE_MS } from '../../src/lib/pacer.ts';

/** Counts the iterations of the event loop until `stop`. Time plays no part. */
export function countIterations(): { readonly count: () => number; readonly stop: () => void } {
  let [iterations, isStopped] = [0, false];
  function next(): void {
    if (isStopped) return;
    iterations++;
    setImmediate(next);
  }
  setImmediate(next);
  return {
    count: () => iterations,
    stop() {
      isStopped = true;
    },
  };
}

/** @returns the number of iterations of the event loop that run during the work */
export async function iterationsDuring(work: () => unknown): Promise<number> {
  const { count, stop } = countIterations();
  try {
    await work();
    return count();
  } finally {
    stop();
  }
}

/** A pacer for which each step takes a slice. */
export function createImpatientPacer(): Pacer {
  let now = 0;
  return createPacer({
    now() {
      now += SLICE_MS;
      return now;
    },
    defer: (next) => setImmediate(next),
  });
}
