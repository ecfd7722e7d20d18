import type { ClaimLedger } from '../../model/ports/replayLedger.ts';
import { createClaimChannel } from './claimChannel.ts';
import { createClaimRequests, type SendClaims } from './claimRequests.ts';
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
 * @param control the result of `ServerLedger.connect`
 * @returns (resolves) when claims can be sent; the methods behave like those of ReplayLedger
 */
export async function createLedgerClient(control: MessagePort): Promise<LedgerClient> {
  let isClosed = false;
  const first = await new Promise<Connected>((connect) => {
    onMessages<Control>(control, (message) => {
      if (message.kind === 'connected') connect(message);
    });
  });
  let channel = createClaimChannel(first.port);
  onMessages(control, receive);

  const send: SendClaims = (message, size, settle) => {
    if (isClosed) settle({ kind: 'failed', reason: CLOSED }, 0);
    else channel.send(message, size, settle);
  };
  const { flush, ...methods } = createClaimRequests(send, first.maxUnanswered);

  function receive(message: Control): void {
    switch (message.kind) {
      case 'connected':
        channel.end('the ledger thread was replaced');
        channel = createClaimChannel(message.port);
        return;
      case 'ended':
        channel.end(message.reason);
        return;
      case 'drain':
        void drain();
    }
  }

  async function drain(): Promise<void> {
    flush();
    isClosed = true;
    await channel.quiet();
    control.postMessage('drained' satisfies Drained);
  }

  return {
    ...methods,
    close() {
      isClosed = true;
      channel.end(CLOSED);
      control.close();
    },
  };
}
