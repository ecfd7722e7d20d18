import type { Claim, ReplayLedger } from '../../../model/ports/replayLedger.ts';
import type { LedgerOptions } from '../../storage.ts';
import type { StartWorker } from '../thread.ts';
import { CLAIM_SIZE } from './claims.ts';
import type { FromLedger } from './ledgerMessages.ts';
import { createLedgerWorker, type LedgerWorker, startLedgerThread } from './ledgerWorker.ts';

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: Error) => void;
};

export type LedgerFileOptions = LedgerOptions & {
  readonly file: string;
  readonly start?: StartWorker | undefined;
};

/** So many claims go to the thread at once; it works on them while this thread goes on verifying. */
const GROUP_SIZE = 16;
/** How long after a failure the file, or a new thread, is tried again. */
const RETRY_MS = 500;

/**
 * The replay ledger in its own SQLite file, written by its own thread.
 *
 * Group commit: claims go over in small groups as they arrive, and all that arrived while the thread committed share
 * the next transaction. So a slow disk makes larger transactions, not a longer queue. A claim's promise resolves after
 * its transaction is durable. A thread that ended is replaced; a file that could not be written is tried until it can.
 *
 * @throws (rejects) where the file cannot be opened
 */
export async function openLedger(options: LedgerFileOptions): Promise<ReplayLedger> {
  let isWell = true;
  let isClosed = false;
  let isRecovering = false;
  let gathering: Waiting[] = [];
  let worker = await openWorker(options, onEnd);

  function onEnd(reason: string): void {
    options.onThread?.('ended', reason);
    noteWell(false);
  }

  function noteWell(isNowWell: boolean): void {
    const wasWell = isWell;
    isWell = isNowWell;
    if (wasWell && !isNowWell) recoverLater();
  }

  function recoverLater(): void {
    if (isClosed || isRecovering) return;
    isRecovering = true;
    setTimeout(() => void recover(), RETRY_MS).unref();
  }

  /** Nobody asks a server that says it is not well, so it has to find out by itself. */
  async function recover(): Promise<void> {
    if (!isClosed && !isWell) {
      if (!worker.isAlive()) await replace();
      isWell = (await worker.ask({ kind: 'probe' })).kind === 'done';
    }
    isRecovering = false;
    if (!isWell) recoverLater();
  }

  async function replace(): Promise<void> {
    try {
      worker = await openWorker(options, onEnd);
      options.onThread?.('replaced');
    } catch {
      // The dead thread stays, and is replaced another time.
    }
  }

  function send(): void {
    if (gathering.length === 0) return;
    const group = gathering;
    gathering = [];
    const settle = (answer: FromLedger, offset: number) => noteWell(settleGroup(group, answer, offset));
    worker.send({ kind: 'count', group: bytesOf(group) }, { size: group.length, settle });
  }

  return {
    claim(claim) {
      return new Promise((resolve, reject) => {
        gathering.push({ claim, resolve, reject });
        if (gathering.length >= GROUP_SIZE) send();
        // The rest of this turn of the event loop may bring more.
        else if (gathering.length === 1) setImmediate(send);
      });
    },
    async purge(beforeSeconds) {
      const answer = await worker.ask({ kind: 'purge', beforeSeconds });
      if (answer.kind !== 'purged') throw ledgerError(answer);
      return answer.rows;
    },
    isWell: () => isWell,
    async close() {
      isClosed = true;
      send();
      const answer = await worker.ask({ kind: 'close' });
      worker.stop();
      if (answer.kind !== 'done') throw ledgerError(answer);
    },
  };
}

/** @throws where the file cannot be opened */
async function openWorker(
  { file, durability, start = startLedgerThread }: LedgerFileOptions,
  onEnd: (reason: string) => void,
): Promise<LedgerWorker> {
  const worker = createLedgerWorker(start, onEnd);
  const answer = await worker.ask({ kind: 'open', file, durability });
  if (answer.kind === 'done') return worker;
  worker.stop();
  throw ledgerError(answer);
}

/**
 * @param offset where this group's counts begin
 * @returns whether the group was kept
 */
function settleGroup(group: readonly Waiting[], answer: FromLedger, offset: number): boolean {
  if (answer.kind === 'counted') {
    for (let i = 0; i < group.length; i++) group[i]?.resolve(answer.counts[offset + i] as number);
    return true;
  }
  const error = ledgerError(answer);
  for (const waiting of group) waiting.reject(error);
  return false;
}

function bytesOf(group: readonly Waiting[]): Uint8Array {
  const bytes = new Uint8Array(group.length * CLAIM_SIZE);
  const view = new DataView(bytes.buffer);
  group.forEach(({ claim }, i) => {
    view.setUint32(i * CLAIM_SIZE, claim.expiresAtSeconds, true);
    bytes.set(claim.puzzleId, i * CLAIM_SIZE + 4);
  });
  return bytes;
}

function ledgerError(answer: FromLedger): Error {
  return new Error(answer.kind === 'failed' ? answer.reason : `unexpected answer: ${answer.kind}`);
}
