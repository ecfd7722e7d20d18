import type { ClaimLedger } from '../../model/ports/replayLedger.ts';
import { type ClaimChannel, createClaimChannel } from './claimChannel.ts';
import { createClaimRequests } from './claimRequests.ts';
import type { Control, Drained } from './messages.ts';
import { onMessages } from './ports.ts';

/** The ledger, used by another thread than the one that opened it. */
export type LedgerClient = ClaimLedger & {
  /** Rejects all claims that have no answer yet, and all further claims. */
  readonly close: () => void;
};

type Connected = Extract<Control, { kind: 'connected' }>;

const CLOSED = 'the ledger is closed';

/**
 * Connects this thread to the ledger that another thread of this process has opened. If the thread that stores claims ends, all claims
 * that have no answer yet are rejected; claims are accepted again when that thread has been replaced.
 *
 * Wakers: `connected` or `drain` ends the wait for the first connection. A claim ends with its answer, `connected`, `ended`, or `close`.
 *
 * @param control the result of `ServerLedger.connect`
 * @returns (resolves) when claims can be sent, or when the ledger is closed; the methods behave like those of ReplayLedger
 */
export async function createLedgerClient(control: MessagePort): Promise<LedgerClient> {
  let isClosed = false;
  let channel: ClaimChannel | undefined;
  /** Undefined if the ledger is closed before the first connection. */
  const first = Promise.withResolvers<Connected | undefined>();
  onMessages(control, receive);
  const maxUnanswered = (await first.promise)?.maxUnanswered ?? 1;

  const { flush, ...methods } = createClaimRequests((message, size, settle) => {
    if (isClosed || channel === undefined) settle({ kind: 'failed', reason: CLOSED }, 0);
    else channel.send(message, size, settle);
  }, maxUnanswered);

  function receive(message: Control): void {
    switch (message.kind) {
      case 'connected':
        channel?.end('the ledger thread was replaced');
        channel = createClaimChannel(message.port);
        first.resolve(message);
        return;
      case 'ended':
        channel?.end(message.reason);
        return;
      case 'drain':
        first.resolve(undefined);
        void drain();
    }
  }

  async function drain(): Promise<void> {
    await first.promise;
    flush();
    isClosed = true;
    await channel?.quiet();
    control.postMessage('drained' satisfies Drained);
  }

  return {
    ...methods,
    close() {
      isClosed = true;
      channel?.end(CLOSED);
      control.close();
    },
  };
}
