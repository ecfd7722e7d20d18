import type { Claim, ClaimLedger } from '../../model/ports/replayLedger.ts';
import { claimsFrom } from './claimBytes.ts';
import {
  type ClaimAnswer,
  type ClaimMessage,
  type FromClient,
  NOT_COUNTED,
  type ToClient,
} from './messages.ts';
import { onMessages } from './ports.ts';

/** Answers the messages that arrive at a client's port with the results of a ledger of this thread. */
export function serveLedger(ledger: ClaimLedger, port: MessagePort): void {
  async function answer(message: FromClient): Promise<void> {
    const content = await answerTo(ledger, message).catch(failed);
    port.postMessage({ ...content, id: message.id, answered: 1 } satisfies ToClient);
  }

  onMessages<FromClient>(port, (message) => void answer(message));
}

async function answerTo(ledger: ClaimLedger, message: ClaimMessage): Promise<ClaimAnswer> {
  switch (message.kind) {
    case 'count':
      return countAll(ledger, claimsFrom(message.group));
    case 'count-once': {
      const [claim] = claimsFrom(message.claim) as [Claim];
      return {
        kind: 'counted-once',
        presentations: await ledger.claimOnce(claim, message.maxCount, message.key),
      };
    }
    case 'recall':
      return { kind: 'recalled', isAccepted: await ledger.recall(message.key) };
  }
}

/** The ledger may commit the claims in different transactions, some of which can fail. */
async function countAll(ledger: ClaimLedger, claims: readonly Claim[]): Promise<ClaimAnswer> {
  const counts = new Uint32Array(claims.length).fill(NOT_COUNTED);
  let reason: string | undefined;
  const results = await Promise.allSettled(claims.map(ledger.claim));
  results.forEach((result, i) => {
    if (result.status === 'fulfilled') counts[i] = result.value;
    else ({ reason } = failed(result.reason));
  });
  return { kind: 'counted', counts, reason };
}

function failed(error: unknown) {
  return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) } as const;
}
