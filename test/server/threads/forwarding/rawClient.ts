import { connect, type Socket } from 'node:net';

/** What a client received until the connection ended. */
export type RawAnswer = {
  readonly status: number;
  /** Lines with the name in lower case, sorted. Without `Date`. */
  readonly headers: readonly string[];
  readonly body: string;
  /** Whether the connection ended before the response was complete. */
  readonly isBroken: boolean;
};

/** @returns a request with `Connection: close` */
export function requestOf(line: string, headers: readonly string[] = [], body = ''): string {
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : ['Host: example.com'];
  return `${line} HTTP/1.1\r\n${[...host, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}

/** @returns the body with `Transfer-Encoding: chunked`, in chunks of this size */
export function inChunks(body: string, size: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${chunks.join('')}0\r\n\r\n`;
}

/** Opens a connection whose errors end it. @param from the client's address; any address in 127.0.0.0/8 */
export function openSocket(port: number, from = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  socket.setNoDelay(true);
  return socket;
}

/** Sends the parts in separate packets, and reads until the server closes the connection. */
export function exchange(port: number, ...parts: readonly string[]): Promise<RawAnswer> {
  return exchangeOn(openSocket(port), ...parts);
}

/** @see exchange */
export async function exchangeOn(socket: Socket, ...parts: readonly string[]): Promise<RawAnswer> {
  const received: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  socket.on('data', (chunk) => received.push(Buffer.from(chunk)));
  socket.on('close', () => closed.resolve());
  for (const part of parts) {
    socket.write(part, 'latin1');
    await new Promise(setImmediate);
  }
  await closed.promise;
  return parse(Buffer.concat(received).toString('latin1'));
}

function parse(text: string): RawAnswer {
  const answer = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return { status: 0, headers: [], body: '', isBroken: true };
  const [line = '', ...lines] = answer.slice(0, end).split('\r\n');
  const headers = lines
    .map((header) => header.replace(/^[^:]+/, (name) => name.toLowerCase()))
    .filter((header) => !header.startsWith('date:'))
    .sort();
  const status = Number(line.split(' ')[1]);
  return { status, headers, ...bodyOf(answer.slice(end + 4), headers) };
}

function bodyOf(rest: string, headers: readonly string[]): Pick<RawAnswer, 'body' | 'isBroken'> {
  if (headers.includes('transfer-encoding: chunked')) return joinChunks(rest);
  const length = headers.find((header) => header.startsWith('content-length:'))?.slice(16);
  // The response to HEAD has a length, but no body.
  return { body: rest, isBroken: rest !== '' && length !== undefined && rest.length !== Number(length) };
}

function joinChunks(rest: string): Pick<RawAnswer, 'body' | 'isBroken'> {
  const body: string[] = [];
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at);
    const size = Number.parseInt(rest.slice(at, end), 16);
    if (end < 0 || !(size >= 0)) return { body: body.join(''), isBroken: rest !== '' };
    if (size === 0) return { body: body.join(''), isBroken: false };
    body.push(rest.slice(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
