import { createThread, type Failed, type StartWorker, type Thread, workerUrl } from '../thread.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

export type LedgerWorker = Thread<ToLedger, FromLedger | Failed>;

/** Starts the ledger thread. */
export const startLedgerThread: StartWorker = () =>
  new Worker(workerUrl('ledger/ledgerThread.ts'), { smol: true });

/** @see createThread */
export function createLedgerWorker(
  start: StartWorker,
  onEnd: (reason: string) => void,
  onMessage: (message: FromLedger) => void,
): LedgerWorker {
  return createThread<ToLedger, FromLedger>('ledger', start, onEnd, onMessage);
}
