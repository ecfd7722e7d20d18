import type { Later } from '../../../threads/protocol.ts';
import type { BodyMethods } from './bodyTransfer.ts';

/** A request that a client has sent to a request thread. */
export type RequestMessage = {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** The remote address of the connection. It is not a header, so that no client can set it. */
  readonly address: string | undefined;
  readonly content: Content;
};

export type ResponseMessage = {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly content: Content;
};

/** The body of a message: null if there is none, the complete bytes, or `parts` if parts follow. */
export type Content = Uint8Array<ArrayBuffer> | null | 'parts';

/** The functions of the management thread. The request thread has only BodyMethods. */
export type ForwardingMethods = BodyMethods & {
  /** Processes a request. Fails if there is no response. */
  readonly request: (request: RequestMessage, call: number) => ResponseMessage | Later;
  /** The client has closed the connection, so the request needs no response. */
  readonly disconnect: (id: number) => void;
};

/** @returns the buffers that move to the other thread */
export function buffersOf(content: Content): Bun.Transferable[] {
  return content instanceof Uint8Array ? [content.buffer] : [];
}

/** @returns the names and values of headers, alternating. `Set-Cookie` can occur several times. */
export function listHeaders(headers: Headers): string[] {
  const list: string[] = [];
  headers.forEach((value, name) => {
    list.push(name, value);
  });
  return list;
}

/** The inverse of `listHeaders`. */
export function headersFrom(list: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < list.length; at += 2) headers.append(list[at] ?? '', list[at + 1] ?? '');
  return headers;
}
