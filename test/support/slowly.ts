import { connect } from 'node:net';

/** A request whose body comes when the test says so. */
export type SlowRequest = {
  /** Sends the rest. @returns the whole answer, head and body */
  readonly finish: () => Promise<string>;
  /** Closes the connection. */
  readonly giveUp: () => void;
};

/** Sends the head of a request and the first bytes of its body, by default one. @param headers lines without `Host` and the length */
export function beginSlowly(
  url: string,
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  first = 1,
): SlowRequest {
  const { host, hostname, port } = new URL(url);
  const answered = Promise.withResolvers<string>();
  const all = { Host: host, ...headers, 'Content-Length': String(body.length), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  let answer = '';
  const socket = connect(Number(port), hostname);
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', answered.reject);
  socket.on('close', () => answered.resolve(answer));
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, first)}`);
  return {
    finish() {
      socket.write(body.slice(first));
      return answered.promise;
    },
    giveUp: () => void socket.destroy(),
  };
}

/** Until something is so; whoever waits for what never comes is told by the test's time limit. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}
