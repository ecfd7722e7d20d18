import { reasonOf } from '../../lib/log.ts';
import type { Claim, ClaimLedger } from '../../model/ports/replayLedger.ts';
import { connectThread, type RemoteThread } from '../../threads/protocol.ts';
import {
  type ClaimMethods,
  type Counted,
  claimsFrom,
  encodeCounts,
  fromText,
  NOT_COUNTED,
} from './claimProtocol.ts';
import { CLOSED } from './claimRequests.ts';
import type { ClientMethods } from './client.ts';

/**
 * The clients of a ledger, seen from the thread that opened it.
 *
 * @param attach passes a port to the thread that stores claims, whose ClaimMethods the client calls
 * @param maxUnanswered maximum number of groups of claims of one client that wait for an answer
 */
export function createLedgerClients(attach: (port: MessagePort) => void, maxUnanswered: number) {
  const clients = new Set<RemoteThread<ClientMethods>>();
  let isConnected = true;

  function link(client: RemoteThread<ClientMethods>): void {
    const { port1, port2: port } = new MessageChannel();
    attach(port1);
    client.notify('connect', { port, maxUnanswered }, [port]);
  }

  return {
    /** @returns the port for `createLedgerClient`, which the caller transfers to the client's thread */
    connect(): MessagePort {
      const { port1, port2 } = new MessageChannel();
      const onEnd = () => void clients.delete(client);
      const client = connectThread<ClientMethods>(port1, {}, 'client', onEnd);
      clients.add(client);
      if (isConnected) link(client);
      return port2;
    },
    /** Connects all clients to a new thread that stores claims. */
    reconnect(): void {
      isConnected = true;
      for (const client of clients) link(client);
    },
    /** Informs all clients that the thread that stores claims has ended. */
    end(reason: string): void {
      isConnected = false;
      for (const client of clients) client.notify('end', reason);
    },
    /** Resolves when no client waits for an answer. Clients reject claims from then on. A client whose thread has ended waits for none. */
    async drain(): Promise<void> {
      const draining = [...clients];
      // The call is rejected if the client's thread has ended.
      await Promise.allSettled(draining.map((client) => client.call('drain', undefined)));
      for (const client of draining) client.end(CLOSED);
    },
  };
}

/** Stores the claims that arrive at a client's port in a ledger of this thread. */
export function serveLedger(ledger: ClaimLedger, port: MessagePort): void {
  connectThread(port, {
    count: (group) => countAll(ledger, claimsFrom(fromText(group))),
    countOnce({ claim, maxCount, key }) {
      const [decoded] = claimsFrom(claim) as [Claim];
      return ledger.claimOnce(decoded, maxCount, key);
    },
    recall: ledger.recall,
  } satisfies ClaimMethods);
}

/** The ledger may commit the claims in different transactions, some of which can fail. */
async function countAll(ledger: ClaimLedger, claims: readonly Claim[]): Promise<Counted> {
  const counts = new Uint32Array(claims.length).fill(NOT_COUNTED);
  let reason = '';
  const results = await Promise.allSettled(claims.map(ledger.claim));
  results.forEach((result, i) => {
    if (result.status === 'fulfilled') counts[i] = result.value;
    else reason = reasonOf(result.reason);
  });
  return encodeCounts(counts) + reason;
}
