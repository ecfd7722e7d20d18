/** One user of a semaphore. */
export type SemaphoreHolder = {
  /** Resolves when the holder has received a permit. */
  readonly acquire: () => Promise<void>;
  /** Returns one permit. */
  readonly release: () => void;
};

/**
 * A semaphore that no holder can monopolize: a free permit goes to the waiting holder that has the fewest permits or, if several
 * have the fewest, to the holder that has waited longest.
 *
 * @param permits number of permits, at least 1
 * @returns a function that creates a holder
 */
export function createFairSemaphore(permits: number): () => SemaphoreHolder {
  type Holder = { held: number; readonly waiting: (() => void)[] };
  /** Waiting holders, in the order in which they began to wait. */
  const queue = new Set<Holder>();
  let free = permits;

  function grantNext(): void {
    if (free === 0 || queue.size === 0) return;
    const next = [...queue].reduce((fewest, holder) => (holder.held < fewest.held ? holder : fewest));
    const grant = next.waiting.shift();
    // A holder that waits for more permits goes to the end of the queue.
    queue.delete(next);
    if (next.waiting.length > 0) queue.add(next);
    free--;
    next.held++;
    grant?.();
  }

  return () => {
    const holder: Holder = { held: 0, waiting: [] };
    return {
      acquire() {
        const { promise, resolve } = Promise.withResolvers<void>();
        holder.waiting.push(resolve);
        queue.add(holder);
        grantNext();
        return promise;
      },
      release() {
        free++;
        holder.held--;
        grantNext();
      },
    };
  };
}
