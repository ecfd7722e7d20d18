import type { FromLedger, ToLedger } from './ledgerMessages.ts';
import { createThread, type StartWorker, type Thread, workerUrl } from './thread.ts';

/** The ledger's thread, as the others see it. */
export type LedgerWorker = Thread<ToLedger, FromLedger>;

export const startLedgerThread: StartWorker = () => new Worker(workerUrl('ledgerThread.ts'), { smol: true });

/** @param onEnd called when the thread ended without being told to; see createThread */
export function createLedgerWorker(start: StartWorker, onEnd: (reason: string) => void): LedgerWorker {
  return createThread<ToLedger, FromLedger>('ledger', start, onEnd);
}
