import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import type { ServerLedger } from '../../src/storage/storage.ts';
import type { Job, JobReport } from './ledgerClientThread.ts';

/** A thread that uses a ledger. */
export type ClientThread = {
  /** `sent` resolves when the claims have been passed to the client; the results are numbers or error messages. */
  readonly claim: (
    claims: readonly Claim[],
    start?: Int32Array,
  ) => { readonly sent: Promise<void>; readonly results: Promise<readonly unknown[]> };
  readonly claimOnce: (claim: Claim, maxCount: number, key: RepeatKey) => Promise<unknown>;
  readonly recall: (key: RepeatKey) => Promise<unknown>;
  /** Closes the client. */
  readonly close: () => Promise<unknown>;
  /** Ends the thread without closing its client. */
  readonly terminate: () => void;
};

/** Starts a thread and connects it to the ledger. */
export async function startClientThread(ledger: ServerLedger): Promise<ClientThread> {
  const worker = new Worker(new URL('./ledgerClientThread.ts', import.meta.url).href);
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  worker.onerror = ({ message }) => failed.reject(new Error(message));

  function run(job: Job, transfer: MessagePort[] = []) {
    const sent = Promise.withResolvers<void>();
    const results = Promise.withResolvers<readonly unknown[]>();
    worker.onmessage = ({ data }: MessageEvent<JobReport>) => {
      if (data === 'sent') sent.resolve();
      else results.resolve(data.results);
    };
    worker.postMessage(job, transfer);
    return {
      sent: Promise.race([sent.promise, failed.promise]),
      results: Promise.race([results.promise, failed.promise]),
    };
  }

  const first = async (job: Job) => (await run(job).results)[0];
  const port = ledger.connect();
  await run({ kind: 'connect', port }, [port]).results;
  return {
    claim: (claims, start) => run({ kind: 'claim', claims, ...(start && { start }) }),
    claimOnce: (claim, maxCount, key) => first({ kind: 'claim-once', claim, maxCount, key }),
    recall: (key) => first({ kind: 'recall', key }),
    close: () => first({ kind: 'close' }),
    terminate: () => worker.terminate(),
  };
}

/** A flag for which threads wait before they start at the same time. */
export function createStartSignal() {
  const start = new Int32Array(new SharedArrayBuffer(4));
  return {
    start,
    go(): void {
      Atomics.store(start, 0, 1);
      Atomics.notify(start, 0);
    },
  };
}
