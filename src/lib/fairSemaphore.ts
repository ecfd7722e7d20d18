/** One user of a semaphore. */
export type SemaphoreHolder = {
  /**
   * Resolves with true when the holder has received a permit, or with false if the queue is full and no other group has a larger part
   * of it. Also resolves with false if a holder of a smaller group needs the place later.
   */
  readonly acquire: () => Promise<boolean>;
  /** Whether `acquire` would resolve with false now. */
  readonly isFull: () => boolean;
  /** Returns one permit. */
  readonly release: () => void;
};

const GRANTED = Promise.resolve(true);
const REJECTED = Promise.resolve(false);

/** @param path names of the groups to which the holder belongs, the largest first. Holders with the same path share their groups. */
export type CreateHolder = (...path: readonly string[]) => SemaphoreHolder;

/** A holder or a group of holders. */
type Node = {
  parent: Node | undefined;
  readonly name: string | undefined;
  /** Permits of the holder or of all members. */
  held: number;
  /** Waiting requests of the holder or of all members. */
  waiting: number;
  /** Members with waiting requests, in the order in which they began to wait. */
  readonly queue: Set<Node>;
  readonly groups: Map<string, Node>;
  /** The waiting requests of a holder. */
  readonly requests: ((isGranted: boolean) => void)[];
};

/**
 * A semaphore that no holder can monopolize: a free permit goes to the waiting group that has the fewest permits or, if several have
 * the fewest, to the one that has waited longest; within a group, to its members in the same way. If the queue is full, a request
 * replaces the newest request of the group that has the most of them, so a group cannot keep others out.
 *
 * Requests wait only while no permit is free. Each release therefore grants the next request, and no other event has to.
 *
 * @param permits number of permits, at least 1
 * @param places maximum number of waiting requests
 * @returns a function that creates a holder
 */
export function createFairSemaphore(permits: number, places = Number.POSITIVE_INFINITY): CreateHolder {
  const root = createNode();
  let free = permits;

  function grantNext(): void {
    if (free === 0 || root.waiting === 0) return;
    let next = root;
    while (next.queue.size > 0) next = fewestPermits(next.queue) ?? next;
    grant(next);
    const request = next.requests.shift();
    for (const node of lineOf(next)) {
      node.waiting--;
      // A member that waits for more permits goes to the end of the queue.
      node.parent?.queue.delete(node);
      if (node.waiting > 0) node.parent?.queue.add(node);
    }
    request?.(true);
  }

  function grant(holder: Node): void {
    free--;
    for (const node of lineOf(holder)) node.held++;
  }

  const hasPlace = () => free > 0 || root.waiting < places;

  return (...path) => {
    const holder = createNode();

    /** Groups exist only while a member has a permit or waits for one. */
    function join(): void {
      if (isIdle(holder)) holder.parent = path.reduce(groupOf, root);
    }

    return {
      isFull() {
        join();
        const isFull = !hasPlace() && replacedBy(holder) === undefined;
        removeIdle(holder);
        return isFull;
      },
      acquire() {
        join();
        if (free > 0) {
          grant(holder);
          return GRANTED;
        }
        if (hasPlace()) return enqueue(holder);
        const replaced = replacedBy(holder);
        if (replaced === undefined) {
          removeIdle(holder);
          return REJECTED;
        }
        const granted = enqueue(holder);
        dropNewest(replaced);
        return granted;
      },
      release() {
        free++;
        for (const node of lineOf(holder)) node.held--;
        removeIdle(holder);
        grantNext();
      },
    };
  };
}

function createNode(parent?: Node, name?: string): Node {
  return { parent, name, held: 0, waiting: 0, queue: new Set(), groups: new Map(), requests: [] };
}

function groupOf(parent: Node, name: string): Node {
  const known = parent.groups.get(name);
  if (known !== undefined) return known;
  const group = createNode(parent, name);
  parent.groups.set(name, group);
  return group;
}

/** @returns a holder and its groups, up to the root */
function lineOf(holder: Node): Node[] {
  const line: Node[] = [];
  for (let node: Node | undefined = holder; node !== undefined; node = node.parent) line.push(node);
  return line;
}

function isIdle({ held, waiting }: Node): boolean {
  return held === 0 && waiting === 0;
}

/** Removes the groups of a holder that have no permits and no requests. */
function removeIdle(holder: Node): void {
  for (const node of lineOf(holder))
    if (node.name !== undefined && isIdle(node)) node.parent?.groups.delete(node.name);
}

/** @returns the member with the fewest permits; of several, the one that began to wait first */
function fewestPermits(nodes: Iterable<Node>): Node | undefined {
  let fewest: Node | undefined;
  for (const node of nodes) {
    // No other member has fewer than none.
    if (node.held === 0) return node;
    if (fewest === undefined || node.held < fewest.held) fewest = node;
  }
  return fewest;
}

/** @returns the member with the most requests; of several, the one that began to wait last */
function mostRequests(nodes: Iterable<Node>): Node | undefined {
  let most: Node | undefined;
  for (const node of nodes) if (most === undefined || node.waiting >= most.waiting) most = node;
  return most;
}

function enqueue(holder: Node): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  holder.requests.push(resolve);
  for (const node of lineOf(holder)) {
    node.waiting++;
    node.parent?.queue.add(node);
  }
  return promise;
}

function dropNewest(holder: Node): void {
  const request = holder.requests.pop();
  for (const node of lineOf(holder)) {
    node.waiting--;
    if (node.waiting === 0) node.parent?.queue.delete(node);
  }
  removeIdle(holder);
  request?.(false);
}

/** @returns the holder whose newest request must leave before this holder can wait; undefined if this holder cannot wait */
function replacedBy(holder: Node): Node | undefined {
  for (const node of lineOf(holder).reverse()) {
    const largest = node.parent && mostRequests(node.parent.queue);
    // With a difference of one, two groups would replace each other's requests in turn.
    if (largest === undefined || largest.waiting <= node.waiting + 1) continue;
    let victim = largest;
    while (victim.queue.size > 0) victim = mostRequests(victim.queue) ?? victim;
    return victim;
  }
  return undefined;
}
