/** A thread that uses a ledger as a request thread does; `ledgerClients.ts` controls it. */
import { reasonOf } from '../../src/lib/log.ts';
import type { Claim, RepeatKey } from '../../src/model/ports/replayLedger.ts';
import { createLedgerClient, type LedgerClient } from '../../src/storage/ledgerClient/client.ts';

declare const self: Worker;

/** A job for the thread; `start` is a shared flag for which the thread waits before it does the job. */
export type Job = { readonly start?: Int32Array } & (
  | { readonly kind: 'connect'; readonly port: MessagePort }
  | { readonly kind: 'claim'; readonly claims: readonly Claim[] }
  | { readonly kind: 'claim-once'; readonly claim: Claim; readonly maxCount: number; readonly key: RepeatKey }
  | { readonly kind: 'recall'; readonly key: RepeatKey }
  | { readonly kind: 'close' }
);

/** `sent` says that the calls of a job were made, and `results` contains a result or an error message for each call. */
export type JobReport = 'sent' | { readonly results: readonly unknown[] };

let client: LedgerClient | undefined;

self.onmessage = async ({ data }: MessageEvent<Job>) => {
  if (data.kind === 'connect') client = await createLedgerClient(data.port);
  if (data.start !== undefined) Atomics.wait(data.start, 0, 0);
  const calls = callsOf(data);
  postMessage('sent' satisfies JobReport);
  const settled = await Promise.allSettled(calls);
  const results = settled.map((each) => (each.status === 'fulfilled' ? each.value : reasonOf(each.reason)));
  postMessage({ results } satisfies JobReport);
};

function callsOf(job: Job): readonly Promise<unknown>[] {
  if (client === undefined) throw new Error('the thread is not connected');
  switch (job.kind) {
    case 'connect':
      return [];
    case 'claim':
      return job.claims.map(client.claim);
    case 'claim-once':
      return [client.claimOnce(job.claim, job.maxCount, job.key)];
    case 'recall':
      return [client.recall(job.key)];
    case 'close':
      client.close();
      return [];
  }
}
