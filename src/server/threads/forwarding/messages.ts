/** The maximum size of a part of a body, in bytes. */
export const PART_BYTES = 32 * 1024;

/** Number of parts that a thread sends before the other thread has read one: at most 64 KiB per request and direction. */
export const WINDOW_PARTS = 2;

/**
 * The content of a message: null if there is none, the complete bytes, or `parts` if part messages follow.
 */
export type Content = Uint8Array | null | 'parts';

/** Messages about the body that the sender of the message sends: the request thread the request's, the management thread the response's. */
export type FromBodySender =
  /** At most PART_BYTES. */
  | { readonly kind: 'part'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  /** The rest of the body will not arrive. If it precedes a response, there will be no response. */
  | { readonly kind: 'broken'; readonly id: number; readonly reason: string };

/** Messages about the body that the sender of the message receives. */
export type FromBodyReceiver =
  /** A part was read, so the other thread can send another one. */
  | { readonly kind: 'read'; readonly id: number }
  /** The rest of the body is not needed. */
  | { readonly kind: 'unwanted'; readonly id: number };

/** A message from a request thread to the management thread. */
export type ToManagement =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly method: string;
      readonly url: string;
      /** Names and values, alternating. */
      readonly headers: readonly string[];
      /** The remote address of the connection. It is not a header, so that no client can set it. */
      readonly address: string | undefined;
      readonly content: Content;
    }
  /** The client closed the connection. */
  | { readonly kind: 'disconnected'; readonly id: number }
  | FromBodySender
  | FromBodyReceiver;

/** A message from the management thread to a request thread. */
export type ToRequestThread =
  | {
      readonly kind: 'response';
      readonly id: number;
      readonly status: number;
      /** Names and values, alternating. */
      readonly headers: readonly string[];
      readonly content: Content;
    }
  | FromBodySender
  | FromBodyReceiver;

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

/** Sends a message. The buffer of its bytes, if it has any, moves to the other thread. */
export function post(port: MessagePort, message: ToManagement | ToRequestThread): void {
  const bytes = 'bytes' in message ? message.bytes : 'content' in message ? message.content : null;
  if (bytes instanceof Uint8Array) port.postMessage(message, [bytes.buffer as ArrayBuffer]);
  else port.postMessage(message);
}
