import type { FromThread, Task, ToThread } from '../messages.ts';
import { solutionOf } from '../solverThread.ts';
import { type Hasher, STEPS } from './hasher.ts';

export type HasherThreadDeps = {
  readonly openHasher: () => Promise<Hasher>;
  readonly post: (message: FromThread) => void;
  /** Handles waiting messages and events, then resolves. */
  readonly pause: () => Promise<void>;
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
