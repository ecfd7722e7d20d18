import { SOLUTION_SIZE } from '../puzzle/solution.ts';
import type { FromThread, Kernel, ToThread } from './messages.ts';

/** The pool's connection to a solver thread. */
interface ThreadPort {
  post(message: ToThread): void;
  close(): void;
}

/** Opens a solver thread. `onMessage` is never called before this function returns. */
export type OpenThread = (onMessage: (message: FromThread) => void) => ThreadPort;

export type PoolDeps = {
  /**
   * In order of preference; the next one is tried if no thread works. The last one uses the page's own thread and opens only one. Empty
   * if only the fallbacks are to be used.
   */
  readonly openers: readonly OpenThread[];
  /** Loads openers of threads that need no kernel. They are used if none of the others works, or if there is no kernel. */
  readonly loadFallbacks: () => Promise<readonly OpenThread[]>;
  readonly threadCount: number;
  /** Never rejects; undefined if it cannot be fetched. */
  readonly kernel: Promise<Kernel | undefined>;
  readonly later: (milliseconds: number, run: () => void) => void;
};

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

/** The solver threads for one puzzle. They start with the pool, so that they are ready when the puzzle arrives. */
export interface Pool {
  /**
   * Solves a puzzle. Call it only once.
   *
   * @param onProgress called with the number of solutions found, after each of them
   * @throws if no thread works
   */
  solve(work: Work, onProgress: (found: number) => void): Promise<Solved>;
  /** Closes all threads; a pending `solve` stays pending. */
  close(): void;
}

// Workers that a policy blocks may never respond; a slow phone starts one within a second.
const START_TIMEOUT_MS = 4000;

type Thread = { readonly port: ThreadPort; isReady: boolean; usesWasm: boolean; index: number | undefined };

/**
 * @param memory GiB, 0.25 to 8 (W3C Device Memory); most browsers do not disclose it
 * @returns one thread per core, at least 2 (some browsers hide the number) and at most 8; at most 2 per GiB of memory
 */
export function threadCountFor(cores: number | undefined, memory: number | undefined): number {
  const max = memory === undefined ? 8 : Math.max(1, Math.min(8, 2 * memory));
  return Math.min(Math.max(cores ?? 2, 2), max);
}

/**
 * Invariant: the threads share one queue of indexes, and a thread without an index of its own helps with an index that is not solved
 * yet. No thread is idle while another works, so the slowest thread does not determine the total time.
 */
export function createPool(deps: PoolDeps): Pool {
  let threads: Thread[] = [];
  let isClosed = false;
  const openers = createOpeners(deps);
  let kernel: { readonly bytes: Kernel | undefined } | undefined;
  let queue: ReturnType<typeof createQueue> | undefined;
  const { failure, fail } = createFailure();
  let lastReason: string | undefined;

  function openNext(): void {
    const next = openers.next();
    if (next === undefined) openFallbacks();
    else for (let i = 0; i < next.count; i++) open(next.opener);
    if (next && kernel) watchStart();
  }

  /** Replaces all threads by those that need no kernel. */
  function openFallbacks(): void {
    closeThreads();
    openers.loadFallbacks(lastReason).then(() => isClosed || openNext(), fail);
  }

  function closeThreads(): void {
    for (const { port } of threads) port.close();
    threads = [];
  }

  function open(opener: OpenThread): void {
    const thread: Thread = {
      port: opener((message) => handle(thread, message)),
      isReady: false,
      usesWasm: false,
      index: undefined,
    };
    threads.push(thread);
    if (kernel) thread.port.post({ kind: 'open', kernel: kernel.bytes });
  }

  /** Uses the next opener, too, if no thread becomes ready in time. */
  function watchStart(): void {
    const isCurrent = openers.mark();
    deps.later(START_TIMEOUT_MS, () => {
      if (!isClosed && isCurrent() && !threads.some((thread) => thread.isReady)) openNext();
    });
  }

  function handle(thread: Thread, message: FromThread): void {
    if (isClosed || !threads.includes(thread)) return;
    if (message.kind === 'ready') {
      thread.isReady = true;
      thread.usesWasm = message.usesWasm;
      queue?.join(thread);
    }
    if (message.kind === 'found') queue?.add(thread, message.index, message.solution);
    if (message.kind !== 'broken') return;
    thread.port.close();
    threads = threads.filter((other) => other !== thread);
    lastReason = message.reason;
    if (threads.length === 0) openNext();
  }

  function openSolvers(bytes: Kernel | undefined): void {
    if (isClosed) return;
    kernel = { bytes };
    if (bytes === undefined) openFallbacks();
    else for (const { port } of threads) port.post({ kind: 'open', kernel: bytes });
    if (bytes) watchStart();
  }

  if (deps.openers.length > 0) openNext();
  void deps.kernel.then(openSolvers);

  return {
    solve: (work, onProgress) =>
      new Promise((resolve, onFailure) => {
        queue = createQueue(work, () => threads, onProgress, resolve);
        failure.catch(onFailure);
        for (const thread of threads) if (thread.isReady) queue.join(thread);
      }),
    close() {
      isClosed = true;
      closeThreads();
    },
  };
}

/** The failure of a pool, which may precede the call of `solve` or follow its end. */
function createFailure() {
  let fail: (cause: Error) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failure.catch(() => undefined);
  return { failure, fail };
}

/** Goes through the openers, and then through the fallbacks. */
function createOpeners(deps: Pick<PoolDeps, 'openers' | 'loadFallbacks' | 'threadCount'>) {
  let list = deps.openers;
  let used = 0;
  let isFallback = false;

  return {
    /** @returns the next opener, with the number of threads to open; undefined after the last one */
    next() {
      const opener = list[used++];
      return opener && { opener, count: used === list.length ? 1 : deps.threadCount };
    },
    /** @returns a function that returns whether the opener is still the current one, and not the last one */
    mark() {
      const [markedList, marked] = [list, used];
      return () => list === markedList && used === marked && used < list.length;
    },
    /** @throws if they cannot be loaded, or are already in use; then with the reason why none works */
    async loadFallbacks(reason: string | undefined): Promise<void> {
      if (isFallback) throw new Error(reason);
      isFallback = true;
      list = await deps.loadFallbacks();
      used = 0;
    },
  };
}

/** Distributes the indexes of one puzzle and collects its solutions. */
function createQueue(
  work: Work,
  threads: () => readonly Thread[],
  onProgress: (found: number) => void,
  finish: (solved: Solved) => void,
) {
  const solutions = new Uint8Array(work.solutionCount * SOLUTION_SIZE);
  const assignments = new Uint8Array(work.solutionCount);
  const foundIndexes = new Set<number>();
  let usedWasm = false;

  /** @returns the unsolved index that was assigned to the fewest threads */
  function nextIndex(): number {
    let best = -1;
    for (let i = 0; i < assignments.length; i++) {
      const isBetter = best < 0 || (assignments[i] as number) < (assignments[best] as number);
      if (isBetter && !foundIndexes.has(i)) best = i;
    }
    return best;
  }

  function assign(thread: Thread): void {
    const index = nextIndex();
    thread.index = index;
    const helper = assignments[index] as number;
    assignments[index] = helper + 1;
    thread.port.post({ kind: 'search', index, helper });
  }

  return {
    join(thread: Thread): void {
      thread.port.post({ kind: 'load', block: work.block, threshold: work.threshold });
      assign(thread);
    },
    add(finder: Thread, index: number, solution: Uint8Array): void {
      if (foundIndexes.has(index)) return;
      foundIndexes.add(index);
      solutions.set(solution, index * SOLUTION_SIZE);
      usedWasm = usedWasm || finder.usesWasm;
      onProgress(foundIndexes.size);
      const isDone = foundIndexes.size === work.solutionCount;
      for (const thread of threads()) {
        if (isDone) thread.port.post({ kind: 'rest' });
        else if (thread.index === index) assign(thread);
      }
      if (isDone) finish({ solutions, usedWasm });
    },
  };
}
