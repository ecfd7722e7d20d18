import type { Control, Drained } from './messages.ts';
import { onMessages } from './ports.ts';

/** The clients of a ledger, seen from the thread that opened it. */
export type LedgerClients = {
  /** @returns the port for `createLedgerClient`, which the caller transfers to the client's thread */
  readonly connect: () => MessagePort;
  /** Connects all clients to a new thread that stores claims. */
  readonly reconnect: () => void;
  /** Informs all clients that the thread that stores claims has ended. */
  readonly end: (reason: string) => void;
  /** Resolves when no client waits for an answer. Clients reject claims from then on. A client whose thread has ended waits for none. */
  readonly drain: () => Promise<void>;
};

type Client = {
  readonly control: MessagePort;
  readonly onDrained: () => void;
  readonly drained: Promise<void>;
};

/**
 * @param attach passes a port to the thread that stores claims, which answers `FromClient` with `ToClient` on it
 * @param maxUnanswered maximum number of groups of claims of one client that wait for an answer
 */
export function createLedgerClients(
  attach: (port: MessagePort) => void,
  maxUnanswered: number,
): LedgerClients {
  const clients = new Set<Client>();
  let isConnected = true;

  const post = ({ control }: Client, message: Control, transfer: MessagePort[] = []) =>
    control.postMessage(message, transfer);

  function link(client: Client): void {
    const { port1, port2 } = new MessageChannel();
    attach(port1);
    post(client, { kind: 'connected', port: port2, maxUnanswered }, [port2]);
  }

  return {
    connect() {
      const { port1: control, port2: remote } = new MessageChannel();
      const { promise: drained, resolve: onDrained } = Promise.withResolvers<void>();
      const client = { control, drained, onDrained };
      clients.add(client);
      onMessages<Drained>(control, () => onDrained());
      control.addEventListener('close', () => {
        clients.delete(client);
        onDrained();
      });
      if (isConnected) link(client);
      return remote;
    },
    reconnect() {
      isConnected = true;
      for (const client of clients) link(client);
    },
    end(reason) {
      isConnected = false;
      for (const client of clients) post(client, { kind: 'ended', reason });
    },
    async drain() {
      const draining = [...clients];
      for (const client of draining) post(client, { kind: 'drain' });
      await Promise.all(draining.map(({ drained }) => drained));
      for (const { control } of draining) control.close();
    },
  };
}
