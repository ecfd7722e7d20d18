import { createThread, type StartWorker, type Thread, workerUrl } from '../thread.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

export type LedgerWorker = Thread<ToLedger, FromLedger>;

/** Starts the ledger thread. */
export const startLedgerThread: StartWorker = () =>
  new Worker(workerUrl('ledger/ledgerThread.ts'), { smol: true });

/** @param onEnd called when the thread ends without `stop`; see createThread */
export function createLedgerWorker(start: StartWorker, onEnd: (reason: string) => void): LedgerWorker {
  return createThread<ToLedger, FromLedger>('ledger', start, onEnd);
}
