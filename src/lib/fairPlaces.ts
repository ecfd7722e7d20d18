/** Somebody who wants places, one for each thing that is to be done at the same time. */
export type Taker = {
  /** Resolves once a place is there. */
  readonly take: () => Promise<void>;
  /** Gives one place back. */
  readonly leave: () => void;
};

/**
 * A bounded number of places that nobody can keep all to himself: one that becomes free goes to who holds the fewest of
 * those that wait, and of these to who waits for longest.
 *
 * @param limit places in all, at least 1
 * @returns a function that makes a new taker
 */
export function createFairPlaces(limit: number): () => Taker {
  type Seat = { held: number; readonly waiting: (() => void)[] };
  /** In the order in which they began to wait. */
  const queue = new Set<Seat>();
  let free = limit;

  function seatNext(): void {
    if (free === 0 || queue.size === 0) return;
    const next = [...queue].reduce((fewest, seat) => (seat.held < fewest.held ? seat : fewest));
    const start = next.waiting.shift();
    // Whoever wants more goes behind those who hold as many.
    queue.delete(next);
    if (next.waiting.length > 0) queue.add(next);
    free--;
    next.held++;
    start?.();
  }

  return () => {
    const seat: Seat = { held: 0, waiting: [] };
    return {
      take() {
        const { promise, resolve } = Promise.withResolvers<void>();
        seat.waiting.push(resolve);
        queue.add(seat);
        seatNext();
        return promise;
      },
      leave() {
        free++;
        seat.held--;
        seatNext();
      },
    };
  };
}
