import { timer } from '../../../lib/timer.ts';
import type { ClaimCommit } from '../../../model/readings.ts';
import { keepThread, type StartWorker } from '../../../threads/worker.ts';
import { createClaimRequests } from '../../ledgerClient/claimRequests.ts';
import { createLedgerClients } from '../../ledgerClient/clients.ts';
import { createLedgerHealth, RETRY_MS } from '../../ledgerHealth.ts';
import type { LedgerOptions, ServerLedger } from '../../storage.ts';
import type { ClaimsCounter } from '../dataCounter.ts';
import type { ClaimsOptions } from './claims.ts';
import type { LedgerMethods, LedgerReports, OpenedClaims } from './ledgerThread.ts';

export type LedgerFileOptions = LedgerOptions &
  Pick<ClaimsOptions, 'file' | 'identity'> & { readonly start?: StartWorker | undefined };

/** The ledger of one claims file. */
export type LedgerFile = Omit<ServerLedger, 'counter'> & {
  /** The counters in the file when it was opened. */
  readonly claimsCounter: ClaimsCounter;
  /** @see Claims.advanceCounter @throws (rejects) if they cannot be stored */
  readonly advanceCounter: (to: ClaimsCounter) => Promise<void>;
};

/**
 * Maximum number of groups of each thread that wait for an answer. Groups that arrive during a commit share the next transaction. With 2,
 * the ledger thread often waits for the next group: `POST /verify` reached 0.24 of a bare server instead of 0.26 (decision 1).
 */
const MAX_UNANSWERED = 32;

/**
 * Opens the replay ledger: a separate SQLite file, written by a separate thread, to which each connected thread has its own channel.
 *
 * Claims are committed in groups: all claims that arrive while the thread commits share the next transaction. A slow disk therefore causes
 * larger transactions instead of a longer queue. The promise of a claim resolves after its transaction is durable. A thread that ends is
 * replaced. If the file cannot be written, the thread tries again until it can. If the new thread finds that the file was deleted or
 * replaced, it counts no claims until `onLoss` has rejected the earlier puzzles.
 *
 * @throws (rejects) if the file cannot be opened
 */
export async function openLedger(options: LedgerFileOptions): Promise<LedgerFile> {
  const { file, durability, identity, onThread, onLoss, onCommit } = options;
  let isOpen = false;
  const report = (commits: readonly ClaimCommit[]) => {
    for (const commit of commits) onCommit?.(commit);
  };
  const { current, ...kept } = keepThread<LedgerMethods, OpenedClaims>({
    name: 'ledger',
    start: options.start,
    local: {
      report,
      reportFailure: () => health.fail(),
    } satisfies LedgerReports,
    async open(thread) {
      const isReopened = isOpen;
      const opened = await thread.call('open', { file, durability, identity, isReopened });
      // The caller of `openLedger` handles a loss at the start. Clients are not connected yet.
      if (isReopened && opened.hasLostClaims) await onLoss?.();
      return opened;
    },
    // A new thread starts just before the first probe, which it answers after it has opened the file.
    delays: { firstMs: RETRY_MS, longestMs: RETRY_MS },
    onEnded(reason) {
      // The caller gets the error of the first opening.
      if (!isOpen) return;
      onThread?.('ended', reason);
      clients.end(reason);
      health.fail();
    },
    onReplaced() {
      clients.reconnect();
      onThread?.('replaced');
    },
  });
  const health = createLedgerHealth(() => current().call('probe', undefined), timer);
  const clients = createLedgerClients((port) => current().notify('connect', port, [port]), MAX_UNANSWERED);
  const { close, ...requests } = createClaimRequests(current, MAX_UNANSWERED, health.set);
  const { hasLostClaims, counter } = await kept.opened.catch((error) => {
    kept.release();
    throw error;
  });
  isOpen = true;

  return {
    ...requests,
    connect: clients.connect,
    isHealthy: health.isHealthy,
    reportDelay: health.fail,
    hasLostClaims: () => hasLostClaims,
    load: undefined,
    purge: (beforeSeconds, keyFingerprints) => current().call('purge', { beforeSeconds, keyFingerprints }),
    purgedBefore: (keyFingerprint) => current().call('purgedBefore', keyFingerprint),
    claimsCounter: counter,
    advanceCounter: (to) => current().call('advanceCounter', to),
    async close() {
      kept.release();
      close();
      await clients.drain();
      health.close();
      const thread = current();
      await thread.call('close', undefined).finally(thread.stop);
    },
  };
}
