import { createClaimRequests, ledgerError } from '../../ledgerClient/claimRequests.ts';
import { createLedgerClients } from '../../ledgerClient/clients.ts';
import type { ClaimAnswer } from '../../ledgerClient/messages.ts';
import type { LedgerOptions, ServerLedger } from '../../storage.ts';
import type { StartWorker } from '../thread.ts';
import type { ClaimsOptions } from './claims.ts';
import type { ClaimsCounter } from './claimsCounter.ts';
import type { FromLedger, LedgerReport } from './ledgerMessages.ts';
import { createLedgerWorker, type LedgerWorker, startLedgerThread } from './ledgerWorker.ts';

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
/** Delay after a failure before the file, or a new thread, is tried again. */
const RETRY_MS = 500;

/**
 * Opens the replay ledger: a separate SQLite file, written by a separate thread, to which each connected thread has its own channel.
 *
 * Claims are committed in groups: all claims that arrive while the thread commits share the next transaction. A slow disk therefore causes
 * larger transactions instead of a longer queue. The promise of a claim resolves after its transaction is durable. A thread that ends is
 * replaced. If the file cannot be written, the thread tries again until it can.
 *
 * @throws (rejects) if the file cannot be opened
 */
export async function openLedger(options: LedgerFileOptions): Promise<LedgerFile> {
  let isHealthy = true;
  let isClosed = false;
  let isRecovering = false;
  const clients = createLedgerClients(
    (port) => void worker.ask({ kind: 'connect', port }, [port]),
    MAX_UNANSWERED,
  );
  const opened = await openWorker(options, onEnd, onMessage);
  let { worker } = opened;

  function onEnd(reason: string): void {
    options.onThread?.('ended', reason);
    clients.end(reason);
    setHealthy(false);
  }

  function onMessage({ kind, commits }: FromLedger): void {
    for (const commit of commits) options.onCommit?.(commit);
    if (commits.length > 0) setHealthy(true);
    if (kind === 'claims-failed') setHealthy(false);
  }

  function setHealthy(isHealthyNow: boolean): void {
    const hasFailed = isHealthy && !isHealthyNow;
    isHealthy = isHealthyNow;
    if (hasFailed) recoverLater();
  }

  function recoverLater(): void {
    if (isClosed || isRecovering) return;
    isRecovering = true;
    setTimeout(() => void recover(), RETRY_MS).unref();
  }

  /** Checks the file without a claim, because an unhealthy server may receive no requests. */
  async function recover(): Promise<void> {
    if (!isClosed && !isHealthy) {
      if (!worker.isAlive()) await replace();
      isHealthy = (await worker.ask({ kind: 'probe' })).kind === 'done';
    }
    isRecovering = false;
    if (!isHealthy) recoverLater();
  }

  async function replace(): Promise<void> {
    try {
      ({ worker } = await openWorker(options, onEnd, onMessage));
      clients.reconnect();
      options.onThread?.('replaced');
    } catch {
      // The next recovery tries again.
    }
  }

  const { flush, ...methods } = createClaimRequests(
    (message, size, settle) =>
      worker.send(message, {
        size,
        settle(answer, offset) {
          if (answer.kind === 'failed' && message.kind !== 'recall') setHealthy(false);
          // The thread answers each kind of message with the corresponding kind.
          settle(answer as ClaimAnswer, offset);
        },
      }),
    MAX_UNANSWERED,
  );

  return {
    ...methods,
    ...createQuestions(() => worker),
    connect: clients.connect,
    isHealthy: () => isHealthy,
    reportDelay: () => setHealthy(false),
    hasLostClaims: () => opened.hasLostClaims,
    claimsCounter: opened.counter,
    async close() {
      isClosed = true;
      flush();
      await clients.drain();
      const answer = await worker.ask({ kind: 'close' });
      worker.stop();
      if (answer.kind !== 'done') throw ledgerError(answer);
    },
  };
}

/** The methods that do not change `isHealthy`. */
function createQuestions(
  worker: () => LedgerWorker,
): Pick<LedgerFile, 'purge' | 'purgedBefore' | 'advanceCounter' | 'load'> {
  return {
    load: undefined,
    async purge(beforeSeconds, keyFingerprints) {
      const answer = await worker().ask({ kind: 'purge', beforeSeconds, keyFingerprints });
      if (answer.kind !== 'purged') throw ledgerError(answer);
      return answer.rows;
    },
    async purgedBefore(keyFingerprint) {
      const answer = await worker().ask({ kind: 'purged-before', keyFingerprint });
      if (answer.kind !== 'purged-before') throw ledgerError(answer);
      return answer.seconds;
    },
    async advanceCounter(to) {
      const answer = await worker().ask({ kind: 'advance-counter', to });
      if (answer.kind !== 'done') throw ledgerError(answer);
    },
  };
}

type OpenedWorker = Pick<LedgerReport & { kind: 'opened' }, 'hasLostClaims' | 'counter'> & {
  readonly worker: LedgerWorker;
};

/** @throws if the file cannot be opened */
async function openWorker(
  { file, durability, identity, start = startLedgerThread }: LedgerFileOptions,
  onEnd: (reason: string) => void,
  onMessage: (message: FromLedger) => void,
): Promise<OpenedWorker> {
  const worker = createLedgerWorker(start, onEnd, onMessage);
  const answer = await worker.ask({ kind: 'open', file, durability, identity });
  if (answer.kind === 'opened') return { ...answer, worker };
  worker.stop();
  throw ledgerError(answer);
}
