import type { ClaimLedger } from '../../model/ports/replayLedger.ts';
import { connectThread, type RemoteThread } from '../../threads/protocol.ts';
import type { ClaimMethods } from './claimProtocol.ts';
import { CLOSED, createClaimRequests } from './claimRequests.ts';

/** The ledger, used by a thread other than the one that opened it. */
export type LedgerClient = ClaimLedger & {
  /** Rejects all claims that have no answer yet, and all further claims. */
  readonly close: () => void;
};

/** The functions of a client, which the thread that opened the ledger calls. */
export type ClientMethods = {
  /** From now on, claims are sent to this port, in at most `maxUnanswered` groups at the same time. */
  readonly connect: (to: ClaimPort) => void;
  /** The thread that stores claims has ended. */
  readonly end: (reason: string) => void;
  /** The ledger is about to be closed. Resolves when the client no longer waits for answers. */
  readonly drain: (nothing: undefined) => Promise<void>;
};

type ClaimPort = { readonly port: MessagePort; readonly maxUnanswered: number };

/**
 * Connects this thread to the ledger that another thread of this process has opened. If the thread that stores claims ends, all claims
 * that have no answer yet are rejected; claims are accepted again when that thread has been replaced.
 *
 * Wakers: `connect` or `drain` ends the wait for the first connection. A claim ends with its answer, `connect`, `end`, or `close`.
 *
 * @param port the result of `ServerLedger.connect`
 * @returns (resolves) when claims can be sent, or when the ledger is closed; the methods behave like those of ReplayLedger
 */
export async function createLedgerClient(port: MessagePort): Promise<LedgerClient> {
  let thread: RemoteThread<ClaimMethods> | undefined;
  const first = Promise.withResolvers<number>();
  const control = connectThread(port, {
    connect(to) {
      thread?.end('the ledger thread was replaced');
      thread = connectThread(to.port, {}, 'ledger thread');
      first.resolve(to.maxUnanswered);
    },
    end: (reason) => void thread?.end(reason),
    async drain() {
      // If the ledger is closed before the first connection, no claim is sent.
      first.resolve(1);
      await first.promise;
      requests.close();
      await thread?.quiet();
    },
  } satisfies ClientMethods);

  const requests = createClaimRequests(
    () => {
      if (thread === undefined) throw new Error(CLOSED);
      return thread;
    },
    await first.promise,
  );
  return {
    ...requests,
    close() {
      thread?.end(CLOSED);
      control.end(CLOSED);
    },
  };
}
