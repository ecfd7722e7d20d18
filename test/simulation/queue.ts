/** What happens at a time. */
export type Event = { readonly at: number; readonly run: () => void };

/** Events in the order of time; those at the same time run in the order in which they were added. */
export type EventQueue = {
  readonly add: (at: number, run: () => void) => void;
  /** Removes the first event; undefined if there is none before `end`. */
  readonly next: (end: number) => Event | undefined;
};

/** A binary heap. */
export function createEventQueue(): EventQueue {
  const heap: (Event & { readonly order: number })[] = [];
  let order = 0;
  const isBefore = (a: number, b: number) => {
    const [first, second] = [heap[a], heap[b]];
    if (first === undefined || second === undefined) return second === undefined && first !== undefined;
    return first.at < second.at || (first.at === second.at && first.order < second.order);
  };
  const swap = (a: number, b: number) => {
    const [first, second] = [heap[a], heap[b]];
    if (first === undefined || second === undefined) return;
    heap[a] = second;
    heap[b] = first;
  };

  function sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = isBefore(left + 1, left) ? left + 1 : left;
      if (!isBefore(child, at)) return;
      swap(at, child);
      at = child;
    }
  }

  return {
    add(at, run) {
      heap.push({ at, run, order: order++ });
      for (let child = heap.length - 1; child > 0; ) {
        const parent = (child - 1) >> 1;
        if (!isBefore(child, parent)) return;
        swap(child, parent);
        child = parent;
      }
    },
    next(end) {
      const [first] = heap;
      if (first === undefined || first.at >= end) return undefined;
      const last = heap.pop();
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last;
        sink();
      }
      return first;
    },
  };
}
