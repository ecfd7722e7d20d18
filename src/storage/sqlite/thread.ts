/** How a caller handles the answer to its message. */
export type Asked<From> = {
  /** How many results of a shared answer belong to this message. */
  readonly size: number;
  /** @param offset index of the first of these results */
  readonly settle: (answer: From, offset: number) => void;
};

/** A storage thread, seen from the thread that uses it. Answers arrive in the order of the messages. */
export type Thread<To, From> = {
  /** A thread that has ended answers `failed`. */
  readonly send: (message: To, asked: Asked<From>) => void;
  readonly ask: (message: To) => Promise<From>;
  readonly isAlive: () => boolean;
  /** Messages that have no answer yet are answered `failed`, with this reason. */
  readonly stop: (reason?: string) => void;
};

/** Creates the worker; tests pass their own function to end it. */
export type StartWorker = () => Worker;

/** The answer that a message gets when its thread has ended. */
export type Failed = { readonly kind: 'failed'; readonly answered: number; readonly reason: string };

/**
 * The address of a worker's source file in `storage/sqlite`. A compiled binary has all modules at the root, and a worker's
 * entry file keeps its path below it.
 */
export function workerUrl(name: string): string {
  const isSource = import.meta.url.endsWith('/storage/sqlite/thread.ts');
  return new URL(isSource ? `./${name}` : `./storage/sqlite/${name}`, import.meta.url).href;
}

/**
 * Starts a worker and matches its answers to the messages.
 *
 * @param name of the thread, for reasons such as "the ledger thread ended"
 * @param onEnd called when the thread ends without `stop`; all waiting messages have been answered `failed` by then
 */
export function createThread<To, From extends { readonly answered: number }>(
  name: string,
  start: StartWorker,
  onEnd: (reason: string) => void,
): Thread<To, From | Failed> {
  const worker = start();
  const waiting: Asked<From | Failed>[] = [];
  let ending: string | undefined;

  function settleNext(answer: From | Failed): void {
    let offset = 0;
    for (const asked of waiting.splice(0, answer.answered)) {
      asked.settle(answer, offset);
      offset += asked.size;
    }
  }

  /** @returns whether it had not ended before */
  function fail(reason: string): boolean {
    if (ending !== undefined) return false;
    ending = reason;
    settleNext({ kind: 'failed', answered: waiting.length, reason });
    return true;
  }

  function end(reason: string): void {
    if (fail(reason)) onEnd(reason);
  }

  function send(message: To, asked: Asked<From | Failed>): void {
    if (ending !== undefined) {
      asked.settle({ kind: 'failed', answered: 1, reason: ending }, 0);
      return;
    }
    waiting.push(asked);
    worker.postMessage(message);
  }

  worker.onmessage = (event: MessageEvent<From>) => settleNext(event.data);
  worker.onerror = (event) => end(`the ${name} thread failed: ${event.message}`);
  worker.addEventListener('close', () => end(`the ${name} thread ended`));

  return {
    send,
    ask: (message) => new Promise((settle) => send(message, { size: 0, settle })),
    isAlive: () => ending === undefined,
    stop(reason = `the ${name} thread was stopped`) {
      fail(reason);
      worker.terminate();
    },
  };
}
