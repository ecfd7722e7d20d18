import type { Fetch } from '../../../http/dispatcher.ts';
import { reasonOf } from '../../../lib/log.ts';
import { setUrl } from '../../../lib/target.ts';
import { type BodyReceiver, createBodyReceiver } from './bodyReceiver.ts';
import { type BodySender, createBodySender } from './bodySender.ts';
import { isAvailableLater, isAvailableNow, joined, readStart } from './bodyStart.ts';
import {
  type Content,
  headersFrom,
  listHeaders,
  post,
  type ToManagement,
  type ToRequestThread,
} from './messages.ts';

export type ForwardedOptions = {
  /** Responds to the requests. */
  readonly handle: Fetch;
  /** Receives the remote addresses of the requests, for `App.setPeer`. */
  readonly addresses: WeakMap<Request, string>;
  /** Called if `handle` fails, or if it responds with an invalid response. */
  readonly onFailure: (error: unknown) => void;
};

/** A body up to this size in bytes is sent with its `Content-Length` if it is in memory or if its response has this header. */
const MAX_CONTENT = 4 * 1024 * 1024;

type Running = {
  readonly disconnection: AbortController;
  /** The body of the request; undefined if it was part of the first message. */
  readonly upload: BodyReceiver | undefined;
  download: BodySender | undefined;
};

/** Responds to the requests that `createForwarder` sends from the other port of the channel. */
export function serveForwarded(port: MessagePort, { handle, addresses, onFailure }: ForwardedOptions): void {
  const all = new Map<number, Running>();
  const send = (message: ToRequestThread) => post(port, message);

  function begin(message: RequestMessage): void {
    const { id, content } = message;
    const upload = content === 'parts' ? createBodyReceiver(id, send) : undefined;
    const running: Running = { disconnection: new AbortController(), upload, download: undefined };
    all.set(id, running);
    process(message, running).catch((error) => {
      onFailure(error);
      if (all.delete(id)) send({ kind: 'broken', id, reason: reasonOf(error) });
    });
  }

  async function process(message: RequestMessage, running: Running): Promise<void> {
    const { id, address, content } = message;
    const body = content === 'parts' ? running.upload?.stream : content;
    const request = toRequest(message, body as Body, running.disconnection.signal);
    if (address !== undefined) addresses.set(request, address);
    await respond(id, running, await handle(request));
  }

  async function respond(id: number, running: Running, response: Response): Promise<void> {
    const reader = response.body?.getReader();
    if (reader === undefined) {
      sendResponse(id, response, null);
      return;
    }
    const declared = response.headers.get('content-length');
    const isSmall = declared !== null && Number(declared) <= MAX_CONTENT;
    const start = await readStart(reader, MAX_CONTENT, isSmall ? isAvailableLater : isAvailableNow);
    if (start.next === undefined) {
      sendResponse(id, response, joined(start.chunks));
      return;
    }
    if (!all.has(id)) {
      reader.cancel().catch(() => {});
      return;
    }
    sendResponse(id, response, 'parts');
    running.download = createBodySender(id, reader, start, (message) => {
      if (message.kind !== 'part') all.delete(id);
      send(message);
    });
  }

  /** Sends a response, unless the client has closed the connection. */
  function sendResponse(id: number, { status, headers }: Response, content: Content): void {
    const isRunning = content === 'parts' ? all.has(id) : all.delete(id);
    if (!isRunning) return;
    // Bun adds the type of a text when it sends the response. All other responses have a type.
    const needsType = content instanceof Uint8Array && content.length > 0 && !headers.has('content-type');
    if (needsType) headers.set('Content-Type', 'text/plain;charset=utf-8');
    send({ kind: 'response', id, status, headers: listHeaders(headers), content });
  }

  /** @param reason `disconnected` also stops the processing of the request */
  function end(id: number, running: Running, reason: 'disconnected' | 'unwanted'): void {
    all.delete(id);
    running.download?.stop();
    if (reason === 'unwanted') return;
    running.disconnection.abort();
    running.upload?.fail(createDisconnectedError());
  }

  function receive(message: Exclude<ToManagement, RequestMessage>): void {
    const running = all.get(message.id);
    if (running === undefined) return;
    if (message.kind === 'part') running.upload?.add(message.bytes);
    else if (message.kind === 'end') running.upload?.end();
    else if (message.kind === 'read') running.download?.allowPart();
    else end(message.id, running, message.kind === 'unwanted' ? 'unwanted' : 'disconnected');
  }

  port.onmessage = ({ data }: { readonly data: ToManagement }) => {
    if (data.kind === 'request') begin(data);
    else receive(data);
  };
  port.addEventListener('close', () => {
    for (const [id, running] of all) end(id, running, 'disconnected');
  });
}

/** The body of a request: none, complete, or in parts. */
type Body = null | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

type RequestMessage = Extract<ToManagement, { kind: 'request' }>;

function toRequest({ method, url, headers }: RequestMessage, body: Body, signal: AbortSignal): Request {
  const init = { method, headers: headersFrom(headers), body, signal };
  const request = createRequest(url, init);
  // Bun's server accepts hosts that are not part of a valid URL, and the constructor does not.
  if (request.url !== url) setUrl(request, url);
  return request;
}

function createRequest(url: string, init: RequestInit): Request {
  try {
    return new Request(url, init);
  } catch {
    return new Request('http://localhost/', init);
  }
}

/** The error of a body whose client has closed the connection, as in a request of Bun's server. */
function createDisconnectedError(): DOMException {
  return new DOMException('The connection was closed.', 'AbortError');
}
