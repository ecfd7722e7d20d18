/** Work in steps: a generator that yields between two parts that take less than a millisecond each. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** `urgent`: a visitor waits for the work. */
export type Urgency = 'urgent' | 'ordinary';

/**
 * Divides long work on one thread into slices, so that requests are handled in between. All work of a thread shares one pacer: in
 * each iteration of the event loop, one of the waiting loops runs for one slice, so many of them delay a request no more than one does.
 *
 * Urgent work goes first, however many other loops wait. These still get one of every four slices.
 */
export type Pacer = {
  /** Whether the slice of this iteration of the event loop is used up. Takes about 30 ns. */
  readonly isDue: () => boolean;
  /** Waits for a later iteration of the event loop. Loops of the same urgency get their turns in the order in which they asked. */
  readonly turn: (urgency?: Urgency) => Promise<void>;
  /** Runs steps, with a turn whenever one is due. @returns the result of the steps; rejects with what a step throws */
  readonly run: <Result>(steps: Steps<Result>, urgency?: Urgency) => Promise<Result>;
};

/** Milliseconds of one slice. The last step of a slice starts before its end, so a slice takes less than 5 ms. */
export const SLICE_MS = 4;
/** Consecutive slices that urgent work gets while other work waits. */
export const URGENT_SLICES = 3;

export type PacerOptions = {
  /** A clock in milliseconds. */
  readonly now: () => number;
  /** Calls a function in the next iteration of the event loop. */
  readonly defer: (next: () => void) => void;
};

/** @see Pacer */
export function createPacer({ now, defer }: PacerOptions): Pacer {
  const waiting: Readonly<Record<Urgency, (() => void)[]>> = { urgent: [], ordinary: [] };
  /** Urgent slices since the last ordinary one. */
  let urgentSlices = 0;
  let sliceStart: number | undefined;
  let isDeferred = false;

  function deferNext(): void {
    if (isDeferred) return;
    isDeferred = true;
    defer(next);
  }

  /** Runs in every iteration while work is waiting, and once after a slice. Wakes one loop. */
  function next(): void {
    isDeferred = false;
    sliceStart = undefined;
    const resume = nextOf(urgentSlices < URGENT_SLICES ? ['urgent', 'ordinary'] : ['ordinary', 'urgent']);
    if (resume === undefined) return;
    begin();
    resume();
  }

  function nextOf(order: readonly Urgency[]): (() => void) | undefined {
    const urgency = order.find((each) => waiting[each].length > 0);
    if (urgency === undefined) return undefined;
    urgentSlices = urgency === 'urgent' ? urgentSlices + 1 : 0;
    return waiting[urgency].shift();
  }

  function begin(): void {
    sliceStart = now();
    deferNext();
  }

  function isDue(): boolean {
    if (sliceStart !== undefined) return now() - sliceStart >= SLICE_MS;
    begin();
    return false;
  }

  function turn(urgency: Urgency = 'ordinary'): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting[urgency].push(resolve);
    deferNext();
    return promise;
  }

  return {
    isDue,
    turn,
    async run(steps, urgency) {
      for (;;) {
        // Also before the first step, because many callers can start in the same iteration.
        if (isDue()) await turn(urgency);
        const { done, value } = steps.next();
        if (done) return value;
      }
    },
  };
}

/** The pacer of this thread. Its state belongs to the event loop, of which each thread has exactly one. */
export const pacer: Pacer = createPacer({
  now: () => performance.now(),
  defer: (next) => setImmediate(next),
});

/** Runs steps without turns, for short work and for commands. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
