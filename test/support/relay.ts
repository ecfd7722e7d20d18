import type { Socket } from 'bun';

/** Forwards TCP connections to a port on the loopback interface, as a network that fails on request. */
export type Relay = {
  readonly port: number;
  /** Stops forwarding what the server sends, like a network that loses packets. New connections are accepted, but get no answer. */
  readonly freeze: () => void;
  /** Forwards again, including what was held back. */
  readonly thaw: () => void;
  /** Closes all connections. */
  readonly cut: () => void;
  readonly stop: () => void;
};

type Pair = {
  client: Socket<Pair>;
  server: Socket<Pair> | undefined;
  toServer: Buffer[];
  toClient: Buffer[];
};

/** Starts a relay to a port. */
export function startRelay(target: number): Relay {
  const pairs = new Set<Pair>();
  let isFrozen = false;

  function flush(pair: Pair): void {
    if (pair.server) for (const data of pair.toServer.splice(0)) pair.server.write(data);
    if (!isFrozen) for (const data of pair.toClient.splice(0)) pair.client.write(data);
    pair.server?.flush();
    pair.client.flush();
  }

  function end(pair: Pair): void {
    if (!pairs.delete(pair)) return;
    pair.client.terminate();
    pair.server?.terminate();
  }

  async function open(client: Socket<Pair>): Promise<void> {
    const pair: Pair = { client, server: undefined, toServer: [], toClient: [] };
    client.data = pair;
    pairs.add(pair);
    try {
      pair.server = await Bun.connect<Pair>({
        hostname: '127.0.0.1',
        port: target,
        data: pair,
        socket: {
          data(_, data) {
            pair.toClient.push(Buffer.from(data));
            flush(pair);
          },
          close: () => end(pair),
        },
      });
      flush(pair);
    } catch {
      end(pair);
    }
  }

  const listener = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    data: undefined as never,
    socket: {
      open: (socket) => void open(socket),
      data(socket, data) {
        socket.data.toServer.push(Buffer.from(data));
        flush(socket.data);
      },
      close: (socket) => end(socket.data),
    },
  });

  return {
    port: listener.port,
    freeze() {
      isFrozen = true;
    },
    thaw() {
      isFrozen = false;
      for (const pair of pairs) flush(pair);
    },
    cut() {
      for (const pair of pairs) end(pair);
    },
    stop() {
      for (const pair of pairs) end(pair);
      listener.stop(true);
    },
  };
}
