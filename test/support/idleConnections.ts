/**
 * Opens connections to a server and sends nothing: `bun idleConnections.ts URL COUNT`. Prints `open N` when all are open, and closes
 * them when standard input ends. A process of its own, because it needs a file descriptor for each connection.
 */
import { connect, type Socket } from 'node:net';

const [url = '', count = '0'] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const sockets: Socket[] = [];

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, resolve);
    socket.on('error', reject);
    sockets.push(socket);
  });
}

/** Connections that are opened at the same time; fewer than the server's backlog. */
const BATCH = 100;
for (let opened = 0; opened < Number(count); opened += BATCH) {
  await Promise.all(Array.from({ length: BATCH }, open));
}
for (const socket of sockets) socket.removeAllListeners('error').on('error', () => {});
console.log(`open ${sockets.length}`);
for await (const _ of Bun.stdin.stream());
process.exit(0);
