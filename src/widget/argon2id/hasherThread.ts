import type { FromThread, ToThread } from '../messages.ts';
import { solutionOf } from '../solverThread.ts';
import { type Hasher, STEPS } from './hasher.ts';

export type HasherThreadDeps = {
  readonly openHasher: () => Promise<Hasher>;
  readonly post: (message: FromThread) => void;
  /** Handles waiting messages and events, then resolves. */
  readonly pause: () => Promise<void>;
};

type Search = { readonly index: number; readonly prefix: number; counter: number };

/**
 * Opens the hasher, and reports `ready` or `broken`. Then searches for solutions of an argon2id puzzle, and handles messages between the
 * steps of a hash. The messages are those of `createSolverThread`; `rest` also releases the memory.
 *
 * @returns a function that handles the pool's messages
 */
export function createHasherThread(deps: HasherThreadDeps): (message: ToThread) => void {
  let hasher: Hasher | undefined;
  let threshold = 0;
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
      if (first <= threshold) {
        search = undefined;
        const solution = solutionOf(current.prefix, current.counter);
        deps.post({ kind: 'found', index: current.index, solution });
      }
      current.counter += 1;
    }
    isRunning = false;
  }

  const fail = (cause: unknown) => deps.post({ kind: 'broken', reason: String(cause) });

  deps.openHasher().then((opened) => {
    hasher = opened;
    deps.post({ kind: 'ready', usesWasm: true });
  }, fail);

  return (message) => {
    if (message.kind === 'rest') {
      search = undefined;
      hasher = undefined;
    }
    if (hasher === undefined) return;
    if (message.kind === 'load') {
      threshold = message.threshold;
      hasher.load(message.block);
    }
    if (message.kind === 'search') {
      search = { index: message.index, prefix: message.index | (message.helper << 8), counter: 0 };
      run(hasher).catch(fail);
    }
  };
}
