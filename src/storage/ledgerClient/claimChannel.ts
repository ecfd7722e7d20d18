import { createUnanswered } from '../../lib/unanswered.ts';
import type { SendClaims } from './claimRequests.ts';
import type { ClaimAnswer, FromClient, ToClient } from './messages.ts';
import { onMessages } from './ports.ts';

/** A connection to the thread that stores claims. */
export type ClaimChannel = {
  /** After the end of the channel, the answer is `failed`. */
  readonly send: SendClaims;
  /** Answers all waiting messages `failed`. Only the first call has an effect. */
  readonly end: (reason: string) => void;
  /** Resolves when no message waits for an answer. */
  readonly quiet: () => Promise<void>;
};

/** @param port receives `ToClient` for each `FromClient` */
export function createClaimChannel(port: MessagePort): ClaimChannel {
  const unanswered = createUnanswered<ClaimAnswer>((reason) => ({ kind: 'failed', reason }));
  onMessages<ToClient>(port, (answer) => unanswered.settle(answer, answer.answered, answer.id));
  return {
    send(message, size, settle) {
      const post = (id: number) => port.postMessage({ ...message, id } satisfies FromClient);
      unanswered.send(post, { size, settle });
    },
    end(reason) {
      if (unanswered.end(reason)) port.close();
    },
    quiet: unanswered.quiet,
  };
}
