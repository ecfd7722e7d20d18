import { type FromThread, solutionOf, type Task, type ToThread } from '../solverThread.ts';

/** Computes argon2id hashes of one puzzle, in steps. */
export interface Hasher {
  /** @param block 128 bytes from `toBlock`, copied */
  load(block: Uint8Array): void;
  /**
   * Starts the hash of a solution.
   *
   * @param prefix u32: bytes 0 to 3 of the solution, little-endian
   * @param counter u32: bytes 4 to 7
   */
  start(prefix: number, counter: number): void;
  /** Does one of `STEPS` equal parts of the work. @param step 0 to `STEPS` - 1, in this order */
  fill(step: number): void;
  /** @returns the first four bytes of the hash as a u32 */
  finish(): number;
}

/** Number of steps of a hash. Each takes about 1 ms on a laptop, and 35 to 50 ms on a slow phone. */
export const STEPS = 8;

/** The exports of `kernel/argon2id/hash.ts`. */
type Exports = {
  readonly memory: { readonly buffer: ArrayBuffer };
  prepare(): void;
  start(prefix: number, counter: number): void;
  fill(index: number, end: number): void;
  finish(): number;
};

/** An address in the kernel's memory. */
const PASSWORD = 16384;

const STEP_BLOCKS = 16384 / STEPS;
/** The number of blocks that `start` computes. */
const FIRST_BLOCKS = 2;

/**
 * Opens the first kernel that the browser supports, which allocates 16 MiB.
 *
 * @param kernels contents of `static/argon2id*.wasm`, in order of preference
 * @throws if the memory cannot be allocated, or if WebAssembly is not available or blocked by the page's content security policy
 */
export async function openHasher(kernels: readonly Uint8Array<ArrayBuffer>[]): Promise<Hasher> {
  const kernel = kernels.find((candidate) => WebAssembly.validate(candidate));
  if (kernel === undefined) throw new Error('no supported kernel');
  const { instance } = await WebAssembly.instantiate(kernel, {});
  const { memory, prepare, start, fill, finish } = instance.exports as unknown as Exports;
  prepare();
  return {
    load: (block) => new Uint8Array(memory.buffer).set(block, PASSWORD),
    start: (prefix, counter) => start(prefix, counter),
    fill: (step) => fill(Math.max(step * STEP_BLOCKS, FIRST_BLOCKS), (step + 1) * STEP_BLOCKS),
    finish: () => finish() >>> 0,
  };
}

type HasherThreadDeps = {
  readonly openHasher: () => Promise<Hasher>;
  readonly post: (message: FromThread) => void;
  /** Handles waiting messages and events, then resolves. */
  readonly pause: () => Promise<unknown>;
};

type Search = Task & { counter: number };

/**
 * Opens the hasher, and reports `open` or `broken`. Then searches for solutions of an argon2id puzzle, and handles messages between the
 * steps of a hash. The messages are those of `createSolverThread`; a message that ends the search also releases the memory.
 *
 * @returns a function that handles the pool's messages
 */
export function createHasherThread(deps: HasherThreadDeps): (task: ToThread) => void {
  let hasher: Hasher | undefined;
  let search: Search | undefined;
  let isRunning = false;

  /** @returns undefined if the search ended before the hash was complete */
  async function hash(opened: Hasher, current: Search): Promise<number | undefined> {
    opened.start(current.prefix, current.counter);
    for (let step = 0; step < STEPS; step++) {
      opened.fill(step);
      await deps.pause();
      if (search !== current) return undefined;
    }
    return opened.finish();
  }

  async function run(opened: Hasher): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (search !== undefined) {
      const current = search;
      const first = await hash(opened, current);
      if (first === undefined) continue;
      if (first <= current.threshold) {
        search = undefined;
        const solution = solutionOf(current.prefix, current.counter);
        deps.post({ kind: 'found', solution, usesWasm: true });
      }
      current.counter += 1;
    }
    isRunning = false;
  }

  const fail = (cause: unknown) => deps.post({ kind: 'broken', reason: String(cause) });

  deps.openHasher().then((opened) => {
    hasher = opened;
    deps.post({ kind: 'open' });
  }, fail);

  return (task) => {
    search = task && { ...task, counter: 0 };
    if (task === undefined) hasher = undefined;
    if (hasher === undefined || task === undefined) return;
    hasher.load(task.block);
    run(hasher).catch(fail);
  };
}
