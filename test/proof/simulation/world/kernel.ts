import { drainMicrotasks } from 'bun:jsc';
import { createRandom } from '../../../support/random.ts';

/** A server process. Its threads end with it. */
export type Process = {
  readonly name: string;
  readonly threads: Set<Thread>;
  /** Called when the process is killed. */
  readonly onKill: Set<() => void>;
  isAlive: boolean;
  /** The clock of its machine minus the true time, in milliseconds. */
  clockOffsetMs: number;
};

/** An event loop. Its events run one after another; after a kill, none of them runs. */
export type Thread = {
  readonly name: string;
  readonly process: Process;
  isAlive: boolean;
  /** Until this time, the thread waits for its disk and runs no events. */
  busyUntil: number;
  /** Callbacks of `setImmediate` run in order. */
  readonly immediates: Channel;
  /** When the thread ended. Messages that it would have sent after a wait for its disk are not sent. */
  endedAt: number;
  /** Called when the thread ends, but not if its process is killed. */
  readonly onEnd: Set<() => void>;
  /** State that modules keep for each thread. */
  readonly own: Map<string, unknown>;
};

/** Events of a channel keep their order. */
export type Channel = { last: number };

type Event = {
  at: number;
  readonly order: number;
  /** Returns the thread that runs the event; undefined for the environment. */
  readonly threadOf: () => Thread | undefined;
  readonly run: () => void;
  isCanceled: boolean;
};

/** One schedule: a seeded order of all events in virtual time. */
export type Simulation = ReturnType<typeof createSimulation>;

/** The number of events after which a schedule counts as endless. */
const MAX_EVENTS = 200_000;

/** @param trace receives a line for each event that is relevant to a reader */
export function createSimulation(seed: number, trace?: (line: string) => void) {
  const random = createRandom(seed);
  const queue = createQueue();
  let time = 0;
  let order = 0;
  let events = 0;
  let current: Thread | undefined;

  /** The time of the running thread, which a slow disk has delayed. */
  const now = () => (current === undefined ? time : Math.max(time, current.busyUntil));
  /** @returns true with a probability of `percent` */
  const chance = (percent: number) => random(10_000) < percent * 100;
  /** @returns a number from 0 to `below`, in steps of a microsecond */
  const upTo = (below: number) => random(Math.ceil(below * 1000) + 1) / 1000;
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;

  /** Runs a function after a delay. @returns a function that cancels it */
  function schedule(
    thread: Thread | undefined | (() => Thread | undefined),
    delayMs: number,
    run: () => void,
    channel?: Channel,
  ): () => void {
    const threadOf = typeof thread === 'function' ? thread : () => thread;
    const at = Math.max(now() + Math.max(0, delayMs), channel?.last ?? 0);
    if (channel !== undefined) channel.last = at;
    const event: Event = { at, order: order++, threadOf, run, isCanceled: false };
    queue.push(event);
    return () => {
      event.isCanceled = true;
    };
  }

  function runOn(thread: Thread | undefined, work: () => void): void {
    current = thread;
    try {
      work();
      drainMicrotasks();
    } finally {
      current = undefined;
    }
  }

  function handle(event: Event): void {
    if (event.isCanceled) return;
    const thread = event.threadOf();
    if (thread !== undefined && thread.busyUntil > event.at) {
      event.at = thread.busyUntil;
      queue.push(event);
      return;
    }
    time = Math.max(time, event.at);
    if (thread?.isAlive === false) return;
    if (++events > MAX_EVENTS) throw new Error(`the schedule does not end: ${events} events`);
    runOn(thread, event.run);
  }

  return {
    random,
    chance,
    upTo,
    pick,
    now,
    schedule,
    /** Runs all events until a time in virtual milliseconds. */
    runUntil(end: number): void {
      for (let first = queue.peek(); first !== undefined && first.at <= end; first = queue.peek()) {
        queue.pop();
        handle(first);
      }
      time = Math.max(time, end);
    },
    /** Runs work of a thread now, between two events. */
    runOn,
    /** @throws if no thread is running */
    thread(): Thread {
      if (current === undefined) throw new Error('no thread is running');
      return current;
    },
    current: () => current,
    /** The running thread waits for a disk. */
    wait(milliseconds: number): void {
      if (current !== undefined) current.busyUntil = now() + milliseconds;
    },
    events: () => events,
    isTracing: trace !== undefined,
    trace(text: () => string): void {
      trace?.(`${now().toFixed(3).padStart(11)} ${(current?.name ?? '').padEnd(12)} ${text()}`);
    },
  };
}

export function createProcess(name: string, clockOffsetMs = 0): Process {
  return { name, threads: new Set(), onKill: new Set(), isAlive: true, clockOffsetMs };
}

export function createThread(process: Process, name: string): Thread {
  const thread: Thread = {
    name: `${process.name}/${name}`,
    process,
    isAlive: true,
    busyUntil: 0,
    endedAt: Number.POSITIVE_INFINITY,
    immediates: { last: 0 },
    onEnd: new Set(),
    own: new Map(),
  };
  process.threads.add(thread);
  return thread;
}

/** Ends a thread between two of its events. @param now when it ends */
export function endThread(thread: Thread, now: number): void {
  if (!thread.isAlive) return;
  thread.isAlive = false;
  thread.endedAt = now;
  thread.process.threads.delete(thread);
  for (const notify of thread.onEnd) notify();
}

/** Ends all threads at once, like SIGKILL. */
export function killProcess(process: Process): void {
  process.isAlive = false;
  for (const thread of process.threads) {
    thread.isAlive = false;
    thread.onEnd.clear();
  }
  process.threads.clear();
  for (const notify of process.onKill) notify();
}

/** A binary heap, ordered by time, and then by the order of the calls. */
function createQueue() {
  const heap: Event[] = [];
  const isBefore = (a: Event, b: Event) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function sink(event: Event): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (!isBefore(heap[child] as Event, event)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = event;
  }

  return {
    peek: () => heap[0],
    push(event: Event): void {
      let at = heap.length;
      heap.push(event);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!isBefore(event, heap[parent] as Event)) break;
        heap[at] = heap[parent] as Event;
        at = parent;
      }
      heap[at] = event;
    },
    pop(): Event | undefined {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length > 0 && last !== undefined) sink(last);
      return first;
    },
  };
}
