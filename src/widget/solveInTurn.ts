import type { Kernel } from './messages.ts';
import { createPool, type Opener } from './pool.ts';
import type { Solved, Work } from './queue.ts';
import { later } from './timers.ts';

/**
 * Solves a puzzle with the threads of the first opener that works. After the signal, it stays pending.
 *
 * @param onProgress called with the number of solutions found, after each of them
 * @throws if no thread works
 */
export async function solveInTurn(
  openers: readonly Opener[],
  kernel: Kernel | undefined,
  work: Work,
  onProgress: (found: number) => void,
  signal: AbortSignal,
): Promise<Solved> {
  let failure: unknown;
  for (const opener of openers) {
    const pool = createPool({ opener, kernel: Promise.resolve(kernel), later });
    signal.addEventListener('abort', pool.close);
    try {
      return await pool.solve(work, onProgress);
    } catch (cause) {
      failure = cause;
    } finally {
      pool.close();
    }
  }
  throw failure;
}
