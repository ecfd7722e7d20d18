import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromThread, OpenThread, ThreadPort } from './solverThread.ts';

/** A puzzle to solve. */
export type Work = {
  /** 128 bytes from `toBlock`. */
  readonly block: Uint8Array;
  /** u32 from `toThreshold`. */
  readonly threshold: number;
  /** 1..255. */
  readonly solutionCount: number;
};

export type Solved = {
  /** `solutionCount` times 8 bytes, in the order of their indexes. */
  readonly solutions: Uint8Array;
  readonly usedWasm: boolean;
};

/** A solver thread that can search. `index` identifies the solution for which it searches. */
type Searcher = { readonly port: ThreadPort; index?: number };

/** Marks an index as solved. Greater than any number of assignments. */
const SOLVED = 1e9;

type Found = Extract<FromThread, { readonly kind: 'found' }>;

/** Distributes the indexes of one puzzle and collects its solutions. */
function createQueue(
  { block, threshold, solutionCount }: Work,
  threads: () => readonly Searcher[],
  onProgress: (found: number) => void,
  finish: (solved: Solved) => void,
) {
  const solutions = new Uint8Array(solutionCount * SOLUTION_SIZE);
  /** The number of threads to which each index was assigned, or `SOLVED`. */
  const assignments = new Array<number>(solutionCount).fill(0);
  let found = 0;
  let usedWasm = false;

  /** Assigns the unsolved index that was assigned to the fewest threads. */
  function assign(thread: Searcher): void {
    const count = Math.min(...assignments);
    const index = assignments.indexOf(count);
    thread.index = index;
    assignments[index] = count + 1;
    thread.port.post({ block, threshold, prefix: index | (count << 8) });
  }

  return {
    assign,
    add({ solution, usesWasm }: Found): void {
      const index = solution[0] as number;
      if (assignments[index] === SOLVED) return;
      assignments[index] = SOLVED;
      solutions.set(solution, index * SOLUTION_SIZE);
      usedWasm = usedWasm || usesWasm;
      found += 1;
      onProgress(found);
      if (found === solutionCount) finish({ solutions, usedWasm });
      else for (const thread of threads()) if (thread.index === index) assign(thread);
    },
  };
}

/** Opens this number of solver threads. */
export type Opener = readonly [open: OpenThread, count: number];

export type Later = (milliseconds: number, run: () => void) => void;

/** The solver threads for one puzzle. They start with the pool, so that they are ready when the puzzle arrives. */
export interface Pool {
  /**
   * Solves a puzzle. Call it only once. The threads remain open.
   *
   * @param onProgress called with the number of solutions found, after each of them
   * @throws if the pool fails
   */
  solve(work: Work, onProgress: (found: number) => void): Promise<Solved>;
  /** Rejects when no thread works; with `NO_RESPONSE` if none responds. Otherwise, it stays pending. */
  readonly failure: Promise<never>;
  /** Whether there are threads. They may still fail. */
  readonly hasThreads: boolean;
  /** Closes all threads; a pending `solve` stays pending. */
  dispose(): void;
}

export type OpenPool = (opener: Opener) => Pool;

export const NO_RESPONSE = new Error('no response');

// Workers that a policy blocks may never respond; a slow phone starts one within a second.
const START_TIMEOUT_MS = 4000;

type Thread = Searcher & { isOpen?: boolean };

/**
 * Invariant: the threads share one queue of indexes, and a thread without an index of its own helps with an index that is not solved
 * yet. No thread is idle while another works, so the slowest thread does not determine the total time.
 */
export function createPool([open, count]: Opener, later: Later): Pool {
  let threads: Thread[] = [];
  let queue: ReturnType<typeof createQueue> | undefined;
  let isLate = false;
  let reject: (cause: unknown) => void;
  // It may precede the call of `solve` or follow its end.
  const failure = new Promise<never>((_, onFailure) => {
    reject = onFailure;
  });
  failure.catch(() => undefined);

  function dispose(): void {
    for (const { port } of threads) port.dispose();
    threads = [];
  }

  function fail(cause: unknown): void {
    dispose();
    reject(cause);
  }

  function handle(thread: Thread, message: FromThread): void {
    if (!threads.includes(thread)) return;
    if (message.kind === 'open') {
      thread.isOpen = true;
      queue?.assign(thread);
    }
    if (message.kind === 'found') queue?.add(message);
    if (message.kind !== 'broken') return;
    thread.port.dispose();
    threads = threads.filter((other) => other !== thread);
    if (threads[0]) failIfSilent();
    else fail(new Error(message.reason));
  }

  /** A thread that is still closed after the time limit is not expected to open. */
  function failIfSilent(): void {
    if (isLate && threads[0] && !threads.some(({ isOpen }) => isOpen)) fail(NO_RESPONSE);
  }

  try {
    for (let i = 0; i < count; i++) {
      const thread: Thread = { port: open((message) => handle(thread, message)) };
      threads.push(thread);
    }
  } catch (cause) {
    fail(cause);
  }

  later(START_TIMEOUT_MS, () => {
    isLate = true;
    failIfSilent();
  });

  return {
    solve: (work, onProgress) =>
      new Promise((resolve, onFailure) => {
        queue = createQueue(work, () => threads, onProgress, resolve);
        failure.catch(onFailure);
        for (const thread of threads) if (thread.isOpen) queue.assign(thread);
      }),
    failure,
    hasThreads: !!threads[0],
    dispose,
  };
}

/**
 * Solves a puzzle with the threads of the first opener that works. After the signal, it stays pending, or
 * throws.
 *
 * @param onProgress called with the number of solutions found, after each of them
 * @throws if no thread works
 */
export async function solveInTurn(
  openers: readonly Opener[],
  openPool: OpenPool,
  work: Work,
  onProgress: (found: number) => void,
  signal: AbortSignal,
): Promise<Solved> {
  let failure: unknown;
  for (const opener of openers) {
    if (signal.aborted) break;
    const pool = openPool(opener);
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
