import type { GeoipBytes } from '../../geoip/geoip.ts';
import { type Log, reasonOf } from '../../lib/log.ts';
import type { SigningKey } from '../../model/ports/signingKey.ts';
import type { DailySecrets } from '../addressHashes.ts';
import { type ArgumentOf, type CallMessage, type Calls, createCalls } from './calls.ts';
import type { ListenOptions, ManagementMethods, ThreadMethods, ThreadStart } from './methods.ts';
import { createReplaceDelay } from './replaceDelay.ts';

/** The request threads of a server, seen from the management thread. */
export type RequestThreads = {
  /** All threads listen on the port. Another call replaces the certificate. @throws if a thread cannot listen */
  readonly listen: (options: ListenOptions) => Promise<void>;
  /** Stops accepting connections. Resolves when the last request is finished. */
  readonly stopListening: () => Promise<void>;
  readonly replaceSigningKeys: (keys: readonly SigningKey[]) => void;
  readonly replaceAddressSecrets: (secrets: DailySecrets) => void;
  readonly replaceGeoip: (contents: readonly GeoipBytes[]) => void;
  /** Resolves when every thread has responded. Threads that end, or are being replaced, do not count. */
  readonly ping: () => Promise<void>;
  /** Collects everything that the threads have counted before the call. */
  readonly handOver: () => Promise<void>;
  /** Collects all counts, and ends the threads. Requests that are not finished are aborted. */
  readonly close: () => Promise<void>;
};

export type RequestThreadsOptions = {
  readonly count: number;
  /** What a new thread needs, apart from its number. */
  readonly startOf: () => Omit<ThreadStart, 'slot'>;
  /** Opens the ports of a new thread, for `ThreadMethods.start`. */
  readonly openPorts: () => readonly MessagePort[];
  readonly management: ManagementMethods;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Called with the number of a thread that has ended. */
  readonly onEnded?: (slot: number) => void;
  /** Creates the worker. Tests pass their own function so that they can end it. */
  readonly startWorker?: (() => Worker) | undefined;
};

/** The longest wait for the counts of a thread when the server stops. */
const HAND_OVER_MS = 2000;

type Thread = Calls<ThreadMethods> & { readonly terminate: () => void };

/** Starts the request threads. @throws (rejects) if one of them cannot be started */
export async function startRequestThreads(options: RequestThreadsOptions): Promise<RequestThreads> {
  let listening: ListenOptions | undefined;
  const slots = createSlots(options, () => listening);
  const { threads } = slots;

  function notify<Name extends keyof ThreadMethods>(name: Name, argument: ArgumentOf<ThreadMethods[Name]>) {
    for (const thread of threads.values()) thread.notify(name, argument);
  }

  /** Calls a function of all threads, and ignores threads that end. */
  async function callAll<Name extends keyof ThreadMethods>(
    name: Name,
    argument: ArgumentOf<ThreadMethods[Name]>,
  ) {
    const calls = Array.from(threads, async ([slot, thread]) => {
      try {
        await thread.call(name, argument);
      } catch (error) {
        if (threads.get(slot) === thread) throw error;
      }
    });
    await Promise.all(calls);
  }

  async function stopListening(): Promise<void> {
    listening = undefined;
    await callAll('stopListening', undefined);
  }

  try {
    await Promise.all(Array.from({ length: options.count }, (_, slot) => slots.open(slot)));
  } catch (error) {
    slots.close();
    for (const thread of threads.values()) thread.terminate();
    throw error;
  }
  return {
    async listen(next) {
      const previous = listening;
      // A thread that replaces an ended one listens with these options, too.
      listening = next;
      try {
        await callAll('listen', next);
      } catch (error) {
        if (previous === undefined) await stopListening();
        else listening = previous;
        throw error;
      }
    },
    stopListening,
    replaceSigningKeys: (keys) => notify('replaceSigningKeys', keys),
    replaceAddressSecrets: (secrets) => notify('replaceAddressSecrets', secrets),
    replaceGeoip: (contents) => notify('replaceGeoip', contents),
    ping: () => callAll('ping', undefined),
    handOver: () => callAll('handOver', undefined),
    async close() {
      const handedOver = callAll('handOver', undefined).catch(() => {});
      slots.close();
      await Promise.race([handedOver, Bun.sleep(HAND_OVER_MS)]);
      for (const thread of threads.values()) thread.terminate();
    },
  };
}

/** The threads by their number. A thread that ends is replaced. */
function createSlots(options: RequestThreadsOptions, listening: () => ListenOptions | undefined) {
  const { log, management, startWorker = startRequestThread } = options;
  const threads = new Map<number, Thread>();
  const delays = Array.from({ length: options.count }, () => createReplaceDelay(() => performance.now()));
  const replacements = new Map<number, Timer>();
  let isClosed = false;

  async function open(slot: number): Promise<void> {
    const thread = connect(startWorker(), management, (reason) => onEnd(slot, thread, reason));
    threads.set(slot, thread);
    // If a thread ends before it receives its ports, their other ends are never closed. So the ports are created after it has loaded.
    await thread.call('ping', undefined);
    await thread.call('start', { ...options.startOf(), slot }, options.openPorts());
    const listenOptions = listening();
    if (listenOptions !== undefined) await thread.call('listen', listenOptions);
    delays[slot]?.started();
  }

  function onEnd(slot: number, thread: Thread, reason: string): void {
    if (isClosed || threads.get(slot) !== thread) return;
    threads.delete(slot);
    options.onEnded?.(slot);
    log.error('request-thread-ended', { thread: slot + 1, reason });
    replacements.set(
      slot,
      setTimeout(() => void replace(slot), delays[slot]?.next()),
    );
  }

  async function replace(slot: number): Promise<void> {
    if (isClosed) return;
    try {
      await open(slot);
      log.info('request-thread-replaced', { thread: slot + 1 });
    } catch (error) {
      // A thread that has ended is already being replaced.
      const thread = threads.get(slot);
      if (thread === undefined) return;
      onEnd(slot, thread, reasonOf(error));
      thread.terminate();
    }
  }

  return {
    threads,
    open,
    /** Ends the replacement of threads. */
    close() {
      isClosed = true;
      for (const timer of replacements.values()) clearTimeout(timer);
    },
  };
}

function connect(worker: Worker, management: ManagementMethods, onEnd: (reason: string) => void): Thread {
  const calls = createCalls<ThreadMethods>(
    (message, transfer) => worker.postMessage(message, transfer),
    management,
  );
  const end = (reason: string) => {
    calls.end(reason);
    onEnd(reason);
  };
  worker.onmessage = (event: MessageEvent<CallMessage>) => calls.receive(event.data);
  worker.onerror = (event) => end(`the request thread failed: ${event.message}`);
  worker.addEventListener('close', () => end('the request thread ended'));
  return { ...calls, terminate: () => worker.terminate() };
}

/** A compiled binary has all modules at the root, and a worker's entry file keeps its path below it. */
function startRequestThread(): Worker {
  const isSource = import.meta.url.endsWith('/server/threads/requestThreads.ts');
  const path = isSource ? './requestThread.ts' : './server/threads/requestThread.ts';
  return new Worker(new URL(path, import.meta.url).href, { smol: true });
}
