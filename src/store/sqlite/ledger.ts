import type { Claim, ReplayLedger } from '../../model/ports.ts';
import { CLAIM_SIZE, type Durability } from './claims.ts';
import type { FromLedger, ToLedger } from './ledgerMessages.ts';

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: Error) => void;
};

// In the compiled binary every module is at the root, and the thread's file keeps its place below it.
const THREAD = new URL(
  import.meta.url.endsWith('/store/sqlite/ledger.ts')
    ? './ledgerThread.ts'
    : './store/sqlite/ledgerThread.ts',
  import.meta.url,
).href;

/** Bounds one transaction, and with it the time until its first verdict leaves. */
const GROUP_LIMIT = 4096;

/**
 * The replay ledger in its own SQLite file, written by its own thread.
 *
 * Group commit: while the thread commits one group, all claims that arrive form the next one, so a slow disk
 * makes larger groups, not a longer queue. A claim's promise resolves after its transaction is durable.
 *
 * @throws (rejects) where the file cannot be opened
 */
export async function openLedger(file: string, durability: Durability): Promise<ReplayLedger> {
  const thread = startThread();
  await expectDone(thread.ask({ kind: 'open', file, durability })).catch((error) => {
    thread.stop();
    throw error;
  });

  const gathering: Waiting[] = [];
  let committing: Promise<void> | undefined;
  let isWell = true;

  async function commitAll(): Promise<void> {
    // The rest of this turn of the event loop may bring more claims for the same commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (gathering.length > 0) {
      const group = gathering.splice(0, GROUP_LIMIT);
      isWell = settle(group, await thread.ask({ kind: 'count', group: bytesOf(group) }));
    }
    committing = undefined;
  }

  return {
    claim(claim) {
      return new Promise((resolve, reject) => {
        gathering.push({ claim, resolve, reject });
        committing ??= commitAll();
      });
    },
    async purge(beforeSeconds) {
      const answer = await thread.ask({ kind: 'purge', beforeSeconds });
      if (answer.kind !== 'purged') throw ledgerError(answer);
      return answer.rows;
    },
    isWell: () => isWell && thread.isAlive(),
    async close() {
      // Whoever claimed before gets an answer.
      await committing;
      await expectDone(thread.ask({ kind: 'close' }));
      thread.stop();
    },
  };
}

/** @returns whether the group was kept */
function settle(group: readonly Waiting[], answer: FromLedger): boolean {
  if (answer.kind === 'counted') {
    group.forEach((waiting, i) => {
      waiting.resolve(answer.counts[i] as number);
    });
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

type Thread = {
  /** Answers come in the order of the questions; a dead thread answers `failed`. */
  readonly ask: (message: ToLedger) => Promise<FromLedger>;
  readonly isAlive: () => boolean;
  readonly stop: () => void;
};

function startThread(): Thread {
  const worker = new Worker(THREAD);
  const asked: ((answer: FromLedger) => void)[] = [];
  let failure: string | undefined;

  worker.onmessage = (event: MessageEvent<FromLedger>) => asked.shift()?.(event.data);
  worker.onerror = (event) => fail(`the ledger's thread died: ${event.message}`);

  function fail(reason: string): void {
    failure ??= reason;
    for (const answer of asked.splice(0)) answer({ kind: 'failed', reason: failure });
  }

  return {
    ask(message) {
      return new Promise((resolve) => {
        if (failure !== undefined) return resolve({ kind: 'failed', reason: failure });
        asked.push(resolve);
        worker.postMessage(message);
      });
    },
    isAlive: () => failure === undefined,
    stop() {
      fail('the ledger is closed');
      worker.terminate();
    },
  };
}

async function expectDone(answer: Promise<FromLedger>): Promise<void> {
  const given = await answer;
  if (given.kind !== 'done') throw ledgerError(given);
}

function ledgerError(answer: FromLedger): Error {
  return new Error(answer.kind === 'failed' ? answer.reason : `unexpected answer: ${answer.kind}`);
}
