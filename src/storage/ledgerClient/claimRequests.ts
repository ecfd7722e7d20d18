import type { Claim, ClaimLedger } from '../../model/ports/replayLedger.ts';
import { toBytes } from './claimBytes.ts';
import { type ClaimAnswer, type ClaimMessage, NOT_COUNTED } from './messages.ts';

/**
 * Sends a message to the thread that stores claims.
 *
 * @param size number of claims in the message
 * @param settle called with the answer, and the index of the first of the message's claims in it
 */
export type SendClaims = (
  message: ClaimMessage,
  size: number,
  settle: (answer: ClaimAnswer, offset: number) => void,
) => void;

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
 * require. `flush` sends the gathered claims now.
 *
 * Gathered claims wait for the end of the iteration, which the first of them and each answer schedule. If too many groups have no answer by
 * then, they wait for the next answer. Each group gets one, because a thread that ends answers `failed`.
 */
export function createClaimRequests(
  send: SendClaims,
  maxUnanswered: number,
): ClaimLedger & { readonly flush: () => void } {
  let gathering: Waiting[] = [];
  /** Groups that have no answer yet. */
  let unanswered = 0;
  let isScheduled = false;

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
    const bytes = toBytes(group.map(({ claim }) => claim));
    unanswered++;
    send({ kind: 'count', group: bytes }, group.length, (answer, offset) => {
      unanswered--;
      settleGroup(group, answer, offset);
      if (gathering.length > 0) sendSoon();
    });
  }

  const ask = (message: ClaimMessage) =>
    new Promise<ClaimAnswer>((resolve) => send(message, message.kind === 'recall' ? 0 : 1, resolve));

  return {
    flush,
    claim: (claim) =>
      new Promise((resolve, reject) => {
        gathering.push({ claim, resolve, reject });
        if (gathering.length >= FULL_GROUP) sendIfFree();
        else if (unanswered < maxUnanswered) sendSoon();
      }),
    async claimOnce(claim, maxCount, key) {
      const answer = await ask({ kind: 'count-once', claim: toBytes([claim]), maxCount, key });
      if (answer.kind !== 'counted-once') throw ledgerError(answer);
      return answer.presentations;
    },
    async recall(key) {
      const answer = await ask({ kind: 'recall', key });
      if (answer.kind !== 'recalled') throw ledgerError(answer);
      return answer.isAccepted;
    },
  };
}

/** @param offset index of the group's first count */
function settleGroup(group: readonly Waiting[], answer: ClaimAnswer, offset: number): void {
  if (answer.kind !== 'counted') {
    const error = ledgerError(answer);
    for (const waiting of group) waiting.reject(error);
    return;
  }
  for (let i = 0; i < group.length; i++) {
    const count = answer.counts[offset + i] as number;
    if (count !== NOT_COUNTED) group[i]?.resolve(count);
    else group[i]?.reject(new Error(answer.reason));
  }
}

/** @returns the error for an answer of an unexpected kind */
export function ledgerError(
  answer: { readonly kind: 'failed'; readonly reason: string } | { readonly kind: string },
): Error {
  return new Error('reason' in answer ? answer.reason : `unexpected answer: ${answer.kind}`);
}
