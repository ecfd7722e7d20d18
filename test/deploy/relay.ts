import { connect, createServer, type Server, type Socket } from 'node:net';

/** Forwards TCP connections to a server and counts them. */
export type Relay = {
  readonly port: number;
  /** The number of connections since the start. */
  readonly accepted: () => number;
  readonly stop: () => Promise<void>;
};

/** @param targetPort the port of the server on 127.0.0.1 */
export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const server = createServer((incoming) => {
    accepted += 1;
    const outgoing = connect(targetPort, '127.0.0.1');
    keep(incoming, outgoing);
    keep(outgoing, incoming);
    incoming.pipe(outgoing);
    outgoing.pipe(incoming);
  });
  return {
    port: await listenOnFreePort(server),
    accepted: () => accepted,
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function listenOnFreePort(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
