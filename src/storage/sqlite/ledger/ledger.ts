import type { Claim, ReplayLedger } from '../../../model/ports/replayLedger.ts';
import type { LedgerOptions } from '../../storage.ts';
import type { StartWorker } from '../thread.ts';
import { CLAIM_SIZE, type ClaimsOptions } from './claims.ts';
import type { FromLedger } from './ledgerMessages.ts';
import { createLedgerWorker, type LedgerWorker, startLedgerThread } from './ledgerWorker.ts';

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: Error) => void;
};

export type LedgerFileOptions = LedgerOptions &
  Pick<ClaimsOptions, 'file' | 'identity'> & { readonly start?: StartWorker | undefined };

/** Number of claims that are sent to the thread together, so that it works while this thread continues to verify. */
const GROUP_SIZE = 16;
/** Delay after a failure before the file, or a new thread, is tried again. */
const RETRY_MS = 500;

/**
 * Opens the replay ledger: a separate SQLite file, written by a separate thread.
 *
 * Claims are committed in groups. They are sent in small groups as they arrive, and all groups that arrive while the thread commits
 * share the next transaction. A slow disk therefore causes larger transactions instead of a longer queue. The promise of a claim
 * resolves after its transaction is durable. A thread that has ended is replaced, and a file that cannot be written is tried again
 * until it can.
 *
 * @throws (rejects) if the file cannot be opened
 */
export async function openLedger(options: LedgerFileOptions): Promise<ReplayLedger> {
  let isHealthy = true;
  let isClosed = false;
  let isRecovering = false;
  let gathering: Waiting[] = [];
  const opened = await openWorker(options, onEnd);
  const { hasLostClaims } = opened;
  let { worker } = opened;

  function onEnd(reason: string): void {
    options.onThread?.('ended', reason);
    setHealthy(false);
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
      ({ worker } = await openWorker(options, onEnd));
      options.onThread?.('replaced');
    } catch {
      // The next recovery tries again.
    }
  }

  function send(): void {
    if (gathering.length === 0) return;
    const group = gathering;
    gathering = [];
    const settle = (answer: FromLedger, offset: number) =>
      setHealthy(settleGroup(options, group, answer, offset));
    const message = { kind: 'count', group: toBytes(group.map(({ claim }) => claim)) } as const;
    worker.send(message, { size: group.length, settle });
  }

  return {
    claim(claim) {
      return new Promise((resolve, reject) => {
        gathering.push({ claim, resolve, reject });
        if (gathering.length >= GROUP_SIZE) send();
        // More claims may arrive in the rest of this iteration of the event loop.
        else if (gathering.length === 1) setImmediate(send);
      });
    },
    async claimOnce(claim, maxCount, key) {
      const answer = await worker.ask({ kind: 'count-once', claim: toBytes([claim]), maxCount, key });
      setHealthy(reportCommit(options, answer, 0));
      if (answer.kind !== 'counted-once') throw ledgerError(answer);
      return answer.presentations;
    },
    ...createQuestions(() => worker),
    isHealthy: () => isHealthy,
    hasLostClaims: () => hasLostClaims,
    async close() {
      isClosed = true;
      send();
      const answer = await worker.ask({ kind: 'close' });
      worker.stop();
      if (answer.kind !== 'done') throw ledgerError(answer);
    },
  };
}

/** The methods that do not change `isHealthy`. */
function createQuestions(
  worker: () => LedgerWorker,
): Pick<ReplayLedger, 'recall' | 'purge' | 'purgedBefore'> {
  return {
    async recall(key) {
      const answer = await worker().ask({ kind: 'recall', key });
      if (answer.kind !== 'recalled') throw ledgerError(answer);
      return answer.isAccepted;
    },
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
  };
}

/** @throws if the file cannot be opened */
async function openWorker(
  { file, durability, identity, start = startLedgerThread }: LedgerFileOptions,
  onEnd: (reason: string) => void,
): Promise<{ readonly worker: LedgerWorker; readonly hasLostClaims: boolean }> {
  const worker = createLedgerWorker(start, onEnd);
  const answer = await worker.ask({ kind: 'open', file, durability, identity });
  if (answer.kind === 'opened') return { worker, hasLostClaims: answer.hasLostClaims };
  worker.stop();
  throw ledgerError(answer);
}

/**
 * Reports each transaction once: its groups share one response, and the first group has the offset 0.
 *
 * @returns whether the claims were stored
 */
function reportCommit({ onCommit }: LedgerOptions, answer: FromLedger, offset: number): boolean {
  if (answer.kind !== 'counted' && answer.kind !== 'counted-once') return false;
  const claims = answer.kind === 'counted' ? answer.counts.length : 1;
  if (offset === 0) onCommit?.({ claims, milliseconds: answer.milliseconds });
  return true;
}

/**
 * @param offset index of the group's first count
 * @returns whether the group was stored
 */
function settleGroup(
  options: LedgerOptions,
  group: readonly Waiting[],
  answer: FromLedger,
  offset: number,
): boolean {
  reportCommit(options, answer, offset);
  if (answer.kind === 'counted') {
    for (let i = 0; i < group.length; i++) group[i]?.resolve(answer.counts[offset + i] as number);
    return true;
  }
  const error = ledgerError(answer);
  for (const waiting of group) waiting.reject(error);
  return false;
}

function toBytes(claims: readonly Claim[]): Uint8Array {
  const bytes = new Uint8Array(claims.length * CLAIM_SIZE);
  const view = new DataView(bytes.buffer);
  claims.forEach((claim, i) => {
    view.setUint32(i * CLAIM_SIZE, claim.expiresAtSeconds, true);
    bytes.set(claim.puzzleId, i * CLAIM_SIZE + 4);
    view.setUint32(i * CLAIM_SIZE + 12, claim.keyFingerprint, true);
  });
  return bytes;
}

function ledgerError(answer: FromLedger): Error {
  return new Error(answer.kind === 'failed' ? answer.reason : `unexpected answer: ${answer.kind}`);
}
