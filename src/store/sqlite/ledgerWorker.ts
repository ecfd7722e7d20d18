import type { FromLedger, ToLedger } from './ledgerMessages.ts';

/** What is to be done with an answer. */
export type Asked = {
  /** How many counts of a shared answer are for it. */
  readonly size: number;
  /** @param offset where they begin */
  readonly settle: (answer: FromLedger, offset: number) => void;
};

/** The ledger's thread, as the others see it. Answers come in the order of the questions. */
export type LedgerWorker = {
  /** A thread that has ended answers `failed`. */
  readonly send: (message: ToLedger, asked: Asked) => void;
  readonly ask: (message: ToLedger) => Promise<FromLedger>;
  readonly isAlive: () => boolean;
  readonly stop: () => void;
};

/** Makes the thread; tests bring their own way, to end it. */
export type StartWorker = () => Worker;

// In the compiled binary every module is at the root, and the thread's file keeps its place below it.
const THREAD = new URL(
  import.meta.url.endsWith('/store/sqlite/ledgerWorker.ts')
    ? './ledgerThread.ts'
    : './store/sqlite/ledgerThread.ts',
  import.meta.url,
).href;

export const startThread: StartWorker = () => new Worker(THREAD, { smol: true });

/** @param onEnd told when the thread ended without being told to; whoever waited has its `failed` by then */
export function createLedgerWorker(start: StartWorker, onEnd: (reason: string) => void): LedgerWorker {
  const worker = start();
  const waiting: Asked[] = [];
  let ending: string | undefined;

  function settleNext(answer: FromLedger): void {
    let offset = 0;
    for (const asked of waiting.splice(0, answer.answered)) {
      asked.settle(answer, offset);
      offset += asked.size;
    }
  }

  function end(reason: string): void {
    if (ending !== undefined) return;
    ending = reason;
    settleNext({ kind: 'failed', answered: waiting.length, reason });
    onEnd(reason);
  }

  function send(message: ToLedger, asked: Asked): void {
    if (ending !== undefined) {
      asked.settle({ kind: 'failed', answered: 1, reason: ending }, 0);
      return;
    }
    waiting.push(asked);
    worker.postMessage(message);
  }

  worker.onmessage = (event: MessageEvent<FromLedger>) => settleNext(event.data);
  worker.onerror = (event) => end(`the ledger's thread failed: ${event.message}`);
  worker.addEventListener('close', () => end("the ledger's thread ended"));

  return {
    send,
    ask: (message) => new Promise((settle) => send(message, { size: 0, settle })),
    isAlive: () => ending === undefined,
    stop() {
      ending ??= 'the ledger is closed';
      worker.terminate();
    },
  };
}
