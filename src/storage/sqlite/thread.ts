/** The caller's handler for the answer to a message. */
export type AnswerHandler<From> = {
  /** Number of results in a shared answer that belong to this message. */
  readonly size: number;
  /** @param offset index of the first of these results */
  readonly settle: (answer: From, offset: number) => void;
};

/** A storage thread, seen from the thread that uses it. Answers arrive in the order of the messages. */
export type Thread<To, From> = {
  /** A thread that has ended answers `failed`. */
  readonly send: (message: To, handler: AnswerHandler<From>) => void;
  readonly ask: (message: To, transfer?: MessagePort[]) => Promise<From>;
  readonly isAlive: () => boolean;
  /** Messages that have no answer yet are answered `failed`, with this reason. */
  readonly stop: (reason?: string) => void;
};

/** Creates the worker. Tests pass their own function so that they can end it. */
export type StartWorker = () => Worker;

/** The answer to a message whose thread has ended. */
export type Failed = { readonly kind: 'failed'; readonly answered: number; readonly reason: string };

/**
 * The URL of a worker's source file in `storage/sqlite`. A compiled binary has all modules at the root, and a worker's
 * entry file keeps its path below it.
 */
export function workerUrl(name: string): string {
  const isSource = import.meta.url.endsWith('/storage/sqlite/thread.ts');
  return new URL(isSource ? `./${name}` : `./storage/sqlite/${name}`, import.meta.url).href;
}

/**
 * Starts a worker and matches its answers to the messages.
 *
 * @param name the thread's name, for reasons such as "the ledger thread ended"
 * @param onEnd called when the thread ends without `stop`; all waiting messages have been answered `failed` by then
 * @param onMessage called with each message of the thread, also with those that answer no message (`answered` is 0)
 */
export function createThread<To, From extends { readonly answered: number }>(
  name: string,
  start: StartWorker,
  onEnd: (reason: string) => void,
  onMessage?: (message: From) => void,
): Thread<To, From | Failed> {
  const worker = start();
  const waiting: AnswerHandler<From | Failed>[] = [];
  let ending: string | undefined;

  function settleNext(answer: From | Failed): void {
    let offset = 0;
    for (const handler of waiting.splice(0, answer.answered)) {
      handler.settle(answer, offset);
      offset += handler.size;
    }
  }

  /** @returns false if the thread had already ended */
  function fail(reason: string): boolean {
    if (ending !== undefined) return false;
    ending = reason;
    settleNext({ kind: 'failed', answered: waiting.length, reason });
    return true;
  }

  function end(reason: string): void {
    if (fail(reason)) onEnd(reason);
  }

  function send(message: To, handler: AnswerHandler<From | Failed>, transfer: MessagePort[] = []): void {
    if (ending !== undefined) {
      handler.settle({ kind: 'failed', answered: 1, reason: ending }, 0);
      return;
    }
    waiting.push(handler);
    worker.postMessage(message, transfer);
  }

  worker.onmessage = ({ data }: MessageEvent<From>) => {
    onMessage?.(data);
    settleNext(data);
  };
  worker.onerror = (event) => end(`the ${name} thread failed: ${event.message}`);
  worker.addEventListener('close', () => end(`the ${name} thread ended`));

  return {
    send,
    ask: (message, transfer) => new Promise((settle) => send(message, { size: 0, settle }, transfer)),
    isAlive: () => ending === undefined,
    stop(reason = `the ${name} thread was stopped`) {
      fail(reason);
      worker.terminate();
    },
  };
}
