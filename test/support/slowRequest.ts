import { connect } from 'node:net';

/** A request whose body is sent later. */
export type SlowRequest = {
  /** Sends more bytes of the body. */
  readonly send: (bytes: number) => void;
  /** Sends the rest of the body. @returns the complete response with its headers */
  readonly finish: () => Promise<string>;
  /** The complete response, which can arrive before the body is finished. */
  readonly answer: Promise<string>;
  /** Closes the connection. */
  readonly giveUp: () => void;
};

/**
 * Sends the headers of a request and the first bytes of its body.
 *
 * @param headers besides `Host` and `Content-Length`
 * @param first the number of bytes of the body that are sent immediately
 * @param from the client's address; any address in 127.0.0.0/8
 */
export function beginSlowRequest(
  url: string,
  line: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  first = 1,
  from = '127.0.0.1',
): SlowRequest {
  const { host, hostname, port } = new URL(url);
  const answered = Promise.withResolvers<string>();
  const all = { Host: host, ...headers, 'Content-Length': String(body.length), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  let answer = '';
  const socket = connect({ port: Number(port), host: hostname, localAddress: from });
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  socket.on('error', answered.reject);
  socket.on('close', () => answered.resolve(answer));
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, first)}`);
  let sent = first;
  const send = (bytes: number) => {
    socket.write(body.slice(sent, sent + bytes));
    sent += bytes;
  };
  return {
    send,
    finish() {
      send(body.length);
      return answered.promise;
    },
    answer: answered.promise,
    giveUp: () => void socket.destroy(),
  };
}

/** Waits until a condition holds. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise(setImmediate);
}
