import type { Claim, ClaimLedger } from '../../model/ports/replayLedger.ts';
import type { Answer, RemoteThread } from '../../threads/protocol.ts';
import {
  type ClaimMethods,
  COUNT_SIZE,
  type Counted,
  countAt,
  NOT_COUNTED,
  toBytes,
  toText,
} from './claimProtocol.ts';

/** The thread that stores claims. */
export type ClaimThread = Pick<RemoteThread<ClaimMethods>, 'send' | 'call'>;

/** The claims of one thread. */
export type ClaimRequests = ClaimLedger & {
  /** Sends the gathered claims, and rejects later ones. */
  readonly close: () => void;
};

type Waiting = {
  readonly claim: Claim;
  readonly resolve: (presentations: number) => void;
  readonly reject: (reason: Error) => void;
};

/**
 * A group of this many claims is sent before the iteration of the event loop ends, so that the ledger thread stores it while this thread
 * handles the rest of the iteration (decision 1).
 */
const FULL_GROUP = 24;

/**
 * Sends the claims of one iteration of the event loop in groups of FULL_GROUP. The rest are sent at the end of the iteration. While
 * `maxUnanswered` groups have no answer yet, claims are gathered for the next group, so groups are as large as the load and the disk
 * require.
 *
 * Wakers: the first gathered claim and each answer schedule a send at the end of the iteration. If too many groups have no answer by then,
 * the claims wait for the next answer. Each group gets an answer, because the calls of a thread that ends are rejected.
 *
 * @param thread returns the thread that stores claims now
 * @param onAnswer called for each answer to claims
 */
export function createClaimRequests(
  thread: () => ClaimThread,
  maxUnanswered: number,
  onAnswer: (areStored: boolean) => void = () => {},
): ClaimRequests {
  let gathering: Waiting[] = [];
  /** Groups that have no answer yet. */
  let unanswered = 0;
  let isScheduled = false;
  let isClosed = false;

  function sendIfFree(): void {
    if (unanswered < maxUnanswered) flush();
  }

  /** Claims that arrive in the rest of this iteration of the event loop join the group. */
  function sendSoon(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      sendIfFree();
    });
  }

  function flush(): void {
    if (gathering.length === 0) return;
    const group = gathering;
    gathering = [];
    const text = toText(toBytes(group.map(({ claim }) => claim)));
    unanswered++;
    const settle = (answer: Answer<Counted>, offset: number) => {
      unanswered--;
      onAnswer('result' in answer);
      settleGroup(group, answer, offset);
      if (gathering.length > 0) sendSoon();
    };
    thread().send('count', text, { size: group.length, settle });
  }

  function open(): ClaimThread {
    if (isClosed) throw new Error(CLOSED);
    return thread();
  }

  return {
    claim: (claim) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error(CLOSED));
        gathering.push({ claim, resolve, reject });
        if (gathering.length >= FULL_GROUP) sendIfFree();
        else if (unanswered < maxUnanswered) sendSoon();
      }),
    async claimOnce(claim, maxCount, key) {
      const called = open().call('countOnce', { claim: toBytes([claim]), maxCount, key });
      called.then(
        () => onAnswer(true),
        () => onAnswer(false),
      );
      return called;
    },
    recall: async (key) => open().call('recall', key),
    close() {
      flush();
      isClosed = true;
    },
  };
}

export const CLOSED = 'the ledger is closed';

/** @param offset index of the group's first count */
function settleGroup(group: readonly Waiting[], answer: Answer<Counted>, offset: number): void {
  if ('reason' in answer) {
    const error = new Error(answer.reason);
    for (const waiting of group) waiting.reject(error);
    return;
  }
  const { result } = answer;
  group.forEach(({ resolve, reject }, i) => {
    const count = countAt(result, offset + i);
    if (count !== NOT_COUNTED) resolve(count);
    else reject(new Error(result.slice(COUNT_SIZE * group.length)));
  });
}
