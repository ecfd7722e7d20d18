import { type AnswerHandler, createUnanswered } from '../../lib/unanswered.ts';

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
  const unanswered = createUnanswered<From | Failed>((reason) => ({ kind: 'failed', answered: 1, reason }));

  function end(reason: string): void {
    if (unanswered.end(reason)) onEnd(reason);
  }

  function send(message: To, handler: AnswerHandler<From | Failed>, transfer: MessagePort[] = []): void {
    unanswered.send(() => worker.postMessage(message, transfer), handler);
  }

  worker.onmessage = ({ data }: MessageEvent<From>) => {
    onMessage?.(data);
    unanswered.settle(data, data.answered);
  };
  worker.onerror = (event) => end(`the ${name} thread failed: ${event.message}`);
  worker.addEventListener('close', () => end(`the ${name} thread ended`));

  return {
    send,
    ask: (message, transfer) => new Promise((settle) => send(message, { size: 0, settle }, transfer)),
    isAlive: () => !unanswered.hasEnded(),
    stop(reason = `the ${name} thread was stopped`) {
      unanswered.end(reason);
      worker.terminate();
    },
  };
}
