import type { Fetch } from '../../../http/dispatcher.ts';
import { reasonOf } from '../../../lib/log.ts';
import { setUrl } from '../../../lib/target.ts';
import { connectThread, LATER } from '../../../threads/protocol.ts';
import { isAvailableLater, isAvailableNow, joined, readStart } from './bodyStart.ts';
import {
  type BodyMethods,
  type BodySender,
  createBodyReceiver,
  createBodySender,
  remoteReceiver,
  remoteSender,
} from './bodyTransfer.ts';
import {
  buffersOf,
  type Content,
  type ForwardingMethods,
  headersFrom,
  listHeaders,
  type RequestMessage,
  type ResponseMessage,
} from './forwardingMethods.ts';

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
  readonly upload: ReturnType<typeof createBodyReceiver> | undefined;
  download: BodySender | undefined;
  readonly respond: (response: ResponseMessage) => void;
  /** Reports that there will be no response. Has no effect after the response. */
  readonly fail: (reason: string) => void;
};

/** Responds to the requests that `createForwarder` sends from the other port of the channel. */
export function serveForwarded(port: MessagePort, { handle, addresses, onFailure }: ForwardedOptions): void {
  const all = new Map<number, Running>();

  const remote = connectThread<BodyMethods>(
    port,
    {
      request(message, call) {
        begin(message, call);
        return LATER;
      },
      disconnect,
      addPart: ({ id, bytes }) => all.get(id)?.upload?.add(bytes),
      endBody: (id) => all.get(id)?.upload?.end(),
      failBody: ({ id }) => disconnect(id),
      allowPart: (id) => all.get(id)?.download?.allowPart(),
      stopBody(id) {
        all.get(id)?.download?.stop();
        all.delete(id);
      },
    } satisfies ForwardingMethods,
    'request thread',
    () => {
      for (const id of all.keys()) disconnect(id);
    },
  );

  /** Stops the processing of a request. */
  function disconnect(id: number): void {
    const running = all.get(id);
    if (running === undefined) return;
    all.delete(id);
    running.download?.stop();
    running.fail('the client closed the connection');
    running.disconnection.abort();
    running.upload?.fail(createDisconnectedError());
  }

  function begin(message: RequestMessage, call: number): void {
    const { id, content } = message;
    const running: Running = {
      disconnection: new AbortController(),
      upload: content === 'parts' ? createBodyReceiver(remoteSender(remote, id)) : undefined,
      download: undefined,
      respond: (response) => remote.answer(call, 1, { result: response }, buffersOf(response.content)),
      fail: (reason) => remote.answer(call, 1, { reason }),
    };
    all.set(id, running);
    process(message, running).catch((error) => {
      onFailure(error);
      if (all.delete(id)) running.fail(reasonOf(error));
    });
  }

  async function process(message: RequestMessage, running: Running): Promise<void> {
    const { id, address } = message;
    const request = toRequest(message, running);
    if (address !== undefined) addresses.set(request, address);
    await respond(id, running, await handle(request));
  }

  async function respond(id: number, running: Running, response: Response): Promise<void> {
    const reader = response.body?.getReader();
    if (reader === undefined) {
      if (all.delete(id)) running.respond(toMessage(response, null));
      return;
    }
    const declared = response.headers.get('content-length');
    const isSmall = declared !== null && Number(declared) <= MAX_CONTENT;
    const start = await readStart(reader, MAX_CONTENT, isSmall ? isAvailableLater : isAvailableNow);
    if (start.next === undefined) {
      if (all.delete(id)) running.respond(toMessage(response, joined(start.chunks)));
      return;
    }
    if (!all.has(id)) {
      reader.cancel().catch(() => {});
      return;
    }
    running.respond(toMessage(response, 'parts'));
    const receiver = remoteReceiver(remote, id, () => all.delete(id));
    running.download = createBodySender(reader, start, receiver);
  }
}

function toMessage({ status, headers }: Response, content: Content): ResponseMessage {
  // Bun adds the type of a text when it sends the response. All other responses have a type.
  const needsType = content instanceof Uint8Array && content.length > 0 && !headers.has('content-type');
  if (needsType) headers.set('Content-Type', 'text/plain;charset=utf-8');
  return { status, headers: listHeaders(headers), content };
}

function toRequest({ method, url, headers, content }: RequestMessage, running: Running): Request {
  const body = content === 'parts' ? running.upload?.stream : content;
  const { signal } = running.disconnection;
  const init = { method, headers: headersFrom(headers), body: body ?? null, signal };
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
