import { createPool, type Later, type Opener } from './pool.ts';
import type { Solved, Work } from './queue.ts';

/**
 * Solves a puzzle with the threads of the first opener that works. After the signal, it stays pending, or
 * throws.
 *
 * @param onProgress called with the number of solutions found, after each of them
 * @throws if no thread works
 */
export async function solveInTurn(
  openers: readonly Opener[],
  later: Later,
  work: Work,
  onProgress: (found: number) => void,
  signal: AbortSignal,
): Promise<Solved> {
  let failure: unknown;
  for (const opener of openers) {
    if (signal.aborted) break;
    const pool = createPool(opener, later);
    signal.addEventListener('abort', pool.dispose);
    try {
      return await pool.solve(work, onProgress);
    } catch (cause) {
      failure = cause;
    } finally {
      pool.dispose();
    }
  }
  throw failure;
}
