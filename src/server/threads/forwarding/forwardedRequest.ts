import { storedSizeOf } from '../../../http/unreadBody.ts';
import type { Awaitable } from '../../../lib/awaitable.ts';
import { reasonOf } from '../../../lib/log.ts';
import { type BodyReceiver, createBodyReceiver } from './bodyReceiver.ts';
import { type BodySender, createBodySender } from './bodySender.ts';
import { type BodyReader, type BodyStart, isAvailableNextTurn, joined, readStart } from './bodyStart.ts';
import {
  type Content,
  headersFrom,
  listHeaders,
  type ToManagement,
  type ToRequestThread,
} from './messages.ts';

/** A request that the management thread processes, on the request thread. */
export type ForwardedRequest = {
  readonly begin: () => void;
  readonly receive: (message: ToRequestThread) => void;
  /** Ends the request because the client has closed the connection. */
  readonly disconnect: () => void;
  /** Ends the request because other clients need its place. */
  readonly revoke: () => void;
  /** Ends the request because its response does not arrive. */
  readonly fail: (reason: string) => void;
};

export type ForwardedRequestDeps = {
  readonly id: number;
  readonly request: Request;
  /** The remote address of the connection. */
  readonly address: string | undefined;
  readonly send: (message: ToManagement) => void;
  readonly respond: (response: Awaitable<Response>) => void;
  readonly unavailable: (request: Request) => Awaitable<Response>;
  /** Whether this request may wait for the rest of its body. Safe to repeat. */
  readonly mayUpload: () => boolean;
  /** Called when the rest of the body has been sent. */
  readonly onUploaded: () => void;
  /** Whether the response may be sent in parts. */
  readonly mayDownload: () => boolean;
  /** Called when no more messages are sent or expected. */
  readonly onEnd: () => void;
};

/** A larger body follows its request in parts, in bytes. */
const MAX_CONTENT = 64 * 1024;

/** @see ForwardedRequest */
export function createForwardedRequest(deps: ForwardedRequestDeps): ForwardedRequest {
  const { id, request, send } = deps;
  let isEnded = false;
  let download: BodyReceiver | undefined;
  const upload = createUpload(deps, { isEnded: () => isEnded, fail: (reason) => fail(reason) });

  function end(): void {
    isEnded = true;
    deps.onEnd();
    upload.stop();
  }

  function respond({ status, headers, content }: ResponseMessage): void {
    const init = { status, headers: headersFrom(headers) };
    if (content !== 'parts') {
      end();
      deps.respond(new Response(content as Uint8Array<ArrayBuffer> | null, init));
      return;
    }
    if (!deps.mayDownload()) {
      leave('too many downloads');
      return;
    }
    download = createBodyReceiver(id, (message) => {
      if (message.kind === 'unwanted') end();
      send(message);
    });
    deps.respond(new Response(download.stream, init));
  }

  /** Aborts the response. If it has not begun, sends another one instead. */
  function fail(reason: string, otherwise = () => deps.unavailable(request)): void {
    end();
    if (download === undefined) deps.respond(otherwise());
    else download.fail(new Error(reason));
  }

  /** Ends the request on both threads. */
  function leave(reason: string, otherwise?: () => Response): void {
    send({ kind: 'disconnected', id });
    fail(reason, otherwise);
  }

  return {
    begin: upload.begin,
    receive(message) {
      if (message.kind === 'response') respond(message);
      else if (message.kind === 'read') upload.allowPart();
      else if (message.kind === 'unwanted') upload.stop();
      else if (message.kind === 'part') download?.add(message.bytes);
      else if (message.kind === 'end') {
        end();
        download?.end();
      } else fail(message.reason);
    },
    disconnect() {
      if (!isEnded)
        leave('the client closed the connection', () => new Response(null, { status: CLIENT_CLOSED }));
    },
    revoke: () => leave('other clients need the place'),
    fail: (reason) => fail(reason),
  };
}

/** Sends the request, and then its body. */
function createUpload(
  deps: ForwardedRequestDeps,
  { isEnded, fail }: { readonly isEnded: () => boolean; readonly fail: (reason: string) => void },
) {
  const { request } = deps;
  let sender: BodySender | undefined;

  /** Ends the request if it may not wait for its body. Bun drops what arrives after the cancellation. */
  function admit(reader: BodyReader): void {
    if (!isEnded() && !deps.mayUpload()) fail('too many uploads');
    if (isEnded()) reader.cancel().catch(() => {});
  }

  function sendWithBody(reader: BodyReader, start: BodyStart): void {
    const isComplete = start.next === undefined;
    if (isComplete) deps.onUploaded();
    else admit(reader);
    if (isEnded()) return;
    sendRequest(deps, isComplete ? joined(start.chunks) : 'parts');
    if (!isComplete) sender = startUpload(deps, reader, start);
  }

  return {
    begin() {
      if (request.body === null) {
        sendRequest(deps, null);
        return;
      }
      const reader = request.body.getReader();
      // Before the first read, because Bun stores what arrives until then.
      if (storedSizeOf(request) > MAX_CONTENT) admit(reader);
      if (isEnded()) return;
      readStart(reader, MAX_CONTENT, isAvailableNextTurn).then(
        (start) => sendWithBody(reader, start),
        (error) => fail(reasonOf(error)),
      );
    },
    allowPart: () => sender?.allowPart(),
    stop: () => sender?.stop(),
  };
}

function sendRequest({ id, request, address, send }: ForwardedRequestDeps, content: Content): void {
  const { method, url, headers } = request;
  send({ kind: 'request', id, method, url, headers: listHeaders(headers), address, content });
}

function startUpload(
  { id, send, onUploaded }: ForwardedRequestDeps,
  reader: BodyReader,
  start: BodyStart,
): BodySender {
  const sender = createBodySender(id, reader, start, (message) => {
    if (message.kind !== 'part') onUploaded();
    send(message);
  });
  return {
    ...sender,
    stop() {
      onUploaded();
      sender.stop();
    },
  };
}

type ResponseMessage = Extract<ToRequestThread, { kind: 'response' }>;

/** The status of a response that no client receives, as in nginx. */
const CLIENT_CLOSED = 499;
