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

type Handler = { readonly size: number; readonly settle: (answer: ClaimAnswer, offset: number) => void };

/** @param port receives `ToClient` for each `FromClient` */
export function createClaimChannel(port: MessagePort): ClaimChannel {
  /** The handlers of the messages that wait for an answer, by id. */
  const waiting = new Map<number, Handler>();
  let nextId = 0;
  let ending: string | undefined;
  let onQuiet: (() => void) | undefined;

  function settle(answer: ToClient): void {
    let offset = 0;
    for (let id = answer.id; id < answer.id + answer.answered; id++) {
      const handler = waiting.get(id);
      if (handler === undefined) continue;
      waiting.delete(id);
      handler.settle(answer, offset);
      offset += handler.size;
    }
    if (waiting.size === 0) onQuiet?.();
  }

  onMessages(port, settle);

  return {
    send(message, size, settleOne) {
      if (ending !== undefined) {
        settleOne({ kind: 'failed', reason: ending }, 0);
        return;
      }
      const id = nextId++;
      waiting.set(id, { size, settle: settleOne });
      port.postMessage({ ...message, id } satisfies FromClient);
    },
    end(reason) {
      if (ending !== undefined) return;
      ending = reason;
      port.close();
      const failed = [...waiting.values()];
      waiting.clear();
      for (const handler of failed) handler.settle({ kind: 'failed', reason }, 0);
      onQuiet?.();
    },
    quiet: () =>
      waiting.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onQuiet = resolve;
          }),
  };
}
