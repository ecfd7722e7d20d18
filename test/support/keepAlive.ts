import { connect, type Socket } from 'node:net';

/** The end of one request on a keep-alive connection. */
export type Exchange =
  | { readonly kind: 'response'; readonly status: number; readonly body: string }
  /** The connection was refused, so no server received the request. */
  | { readonly kind: 'refused' }
  /** The connection ended before the response. */
  | { readonly kind: 'lost' };

/** A client with one connection, which it opens when it has none and closes when the server asks for it. */
export type KeepAliveClient = {
  readonly send: (line: string, body: string, headers: Readonly<Record<string, string>>) => Promise<Exchange>;
  readonly close: () => void;
};

/** @param url of the server */
export function createKeepAliveClient(url: string): KeepAliveClient {
  const { hostname, port, host } = new URL(url);
  let socket: Socket | undefined;
  let received = '';
  let settle: (exchange: Exchange) => void = () => {};

  function open(): Promise<Socket | undefined> {
    return new Promise((resolve) => {
      const next = connect(Number(port), hostname);
      next.setNoDelay(true);
      next.on('connect', () => resolve(next));
      next.on('data', (chunk) => {
        received += chunk.toString('latin1');
        const exchange = parse(received);
        if (exchange === undefined) return;
        if (/\r\nconnection: close\r\n/i.test(received)) drop(next);
        received = '';
        settle(exchange);
      });
      next.on('error', () => {});
      next.on('close', () => {
        if (socket === next) socket = undefined;
        resolve(undefined);
        settle({ kind: 'lost' });
      });
    });
  }

  function drop(old: Socket): void {
    if (socket === old) socket = undefined;
    old.removeAllListeners('close');
    old.end();
  }

  return {
    async send(line, body, headers) {
      socket ??= await open();
      if (socket === undefined) return { kind: 'refused' };
      const ended = new Promise<Exchange>((resolve) => {
        settle = resolve;
      });
      received = '';
      const all = { Host: host, ...headers, 'Content-Length': String(body.length) };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
      return ended;
    },
    close: () => void socket?.destroy(),
  };
}

/** @returns undefined while the response is incomplete */
function parse(text: string): Exchange | undefined {
  const end = text.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  if (end < 0 || text.length < end + 4 + length) return undefined;
  return { kind: 'response', status: Number(text.slice(9, 12)), body: text.slice(end + 4) };
}
