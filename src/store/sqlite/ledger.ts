import type { Claim, ReplayLedger } from '../../model/ports.ts';
import { CLAIM_SIZE, type Durability } from './claims.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: Error) => void;
};

/** So many claims go to the thread at once; it works on them while this thread goes on verifying. */
const GROUP_SIZE = 8;

/**
 * The replay ledger in its own SQLite file, written by its own thread.
 *
 * Group commit: claims go over in small groups as they arrive, and all that arrived while the thread committed share
 * the next transaction. So a slow disk makes larger transactions, not a longer queue. A claim's promise resolves after
 * its transaction is durable.
 *
 * @throws (rejects) where the file cannot be opened
 */
export async function openLedger(file: string, durability: Durability): Promise<ReplayLedger> {
  const thread = startThread();
  const opened = await thread.ask({ kind: 'open', file, durability });
  if (opened.kind !== 'done') {
    thread.stop();
    throw ledgerError(opened);
  }
  let gathering: Waiting[] = [];
  let isWell = true;

  function send(): void {
    if (gathering.length === 0) return;
    const group = gathering;
    gathering = [];
    thread.count(group, (answer, offset) => {
      isWell = settle(group, answer, offset);
    });
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
      const answer = await thread.ask({ kind: 'purge', beforeSeconds });
      if (answer.kind !== 'purged') throw ledgerError(answer);
      return answer.rows;
    },
    isWell: () => isWell && thread.isAlive(),
    async close() {
      send();
      const answer = await thread.ask({ kind: 'close' });
      thread.stop();
      if (answer.kind !== 'done') throw ledgerError(answer);
    },
  };
}

/**
 * @param offset where this group's counts begin
 * @returns whether the group was kept
 */
function settle(group: readonly Waiting[], answer: FromLedger, offset: number): boolean {
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

/** What is to be done with an answer, and how many counts of a shared one are for it. */
type Asked = { readonly size: number; readonly settle: (answer: FromLedger, offset: number) => void };

type Thread = {
  readonly ask: (message: ToLedger) => Promise<FromLedger>;
  readonly count: (group: readonly Waiting[], settle: Asked['settle']) => void;
  readonly isAlive: () => boolean;
  readonly stop: () => void;
};

// In the compiled binary every module is at the root, and the thread's file keeps its place below it.
const THREAD = new URL(
  import.meta.url.endsWith('/store/sqlite/ledger.ts')
    ? './ledgerThread.ts'
    : './store/sqlite/ledgerThread.ts',
  import.meta.url,
).href;

/** Answers come in the order of the questions; a dead thread answers `failed`. */
function startThread(): Thread {
  const worker = new Worker(THREAD);
  const asked: Asked[] = [];
  let failure: string | undefined;

  function settleNext(answer: FromLedger): void {
    let offset = 0;
    for (const one of asked.splice(0, answer.answered)) {
      one.settle(answer, offset);
      offset += one.size;
    }
  }

  function die(reason: string): void {
    failure = `the ledger's thread ended: ${reason}`;
    settleNext({ kind: 'failed', answered: asked.length, reason: failure });
  }

  function send(message: ToLedger, one: Asked): void {
    if (failure !== undefined) {
      one.settle({ kind: 'failed', answered: 1, reason: failure }, 0);
      return;
    }
    asked.push(one);
    worker.postMessage(message);
  }

  worker.onmessage = (event: MessageEvent<FromLedger>) => settleNext(event.data);
  worker.onerror = (event) => die(event.message);
  worker.addEventListener('close', () => die('it was closed'));

  return {
    ask: (message) => new Promise((settle) => send(message, { size: 0, settle })),
    count: (group, settle) => send({ kind: 'count', group: bytesOf(group) }, { size: group.length, settle }),
    isAlive: () => failure === undefined,
    stop: () => worker.terminate(),
  };
}

function ledgerError(answer: FromLedger): Error {
  return new Error(answer.kind === 'failed' ? answer.reason : `unexpected answer: ${answer.kind}`);
}
