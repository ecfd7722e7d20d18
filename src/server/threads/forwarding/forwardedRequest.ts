import { storedSizeOf } from '../../../http/unreadBody.ts';
import type { Awaitable } from '../../../lib/awaitable.ts';
import { reasonOf } from '../../../lib/log.ts';
import type { Answer, RemoteThread } from '../../../threads/protocol.ts';
import { type BodyReader, type BodyStart, isAvailableNextTurn, joined, readStart } from './bodyStart.ts';
import {
  type BodyReceiver,
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
  type ResponseMessage,
} from './forwardingMethods.ts';

/** A request that the management thread processes, on the request thread. */
export type ForwardedRequest = {
  readonly begin: () => void;
  /** Sends the body of the request. */
  readonly upload: BodySender;
  /** Receives the body of the response. */
  readonly download: BodyReceiver;
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
  readonly management: RemoteThread<ForwardingMethods>;
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
  const { id, request, management } = deps;
  let isEnded = false;
  let download: ReturnType<typeof createBodyReceiver> | undefined;
  const upload = createUpload(deps, { isEnded: () => isEnded, respond, fail: (reason) => fail(reason) });

  function end(): void {
    isEnded = true;
    deps.onEnd();
    upload.stop();
  }

  function respond({ status, headers, content }: ResponseMessage): void {
    const init = { status, headers: headersFrom(headers) };
    if (content !== 'parts') {
      end();
      deps.respond(new Response(content, init));
      return;
    }
    if (!deps.mayDownload()) {
      leave('too many downloads');
      return;
    }
    const { allowPart, stop } = remoteSender(management, id);
    download = createBodyReceiver({
      allowPart,
      stop() {
        end();
        stop();
      },
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
    management.notify('disconnect', id);
    fail(reason, otherwise);
  }

  return {
    begin: upload.begin,
    upload,
    download: {
      add: (bytes) => download?.add(bytes),
      end() {
        end();
        download?.end();
      },
      fail: (error) => fail(error.message),
    },
    disconnect() {
      if (!isEnded)
        leave('the client closed the connection', () => new Response(null, { status: CLIENT_CLOSED }));
    },
    revoke: () => leave('other clients need the place'),
    fail: (reason) => fail(reason),
  };
}

type UploadOwner = {
  readonly isEnded: () => boolean;
  readonly respond: (response: ResponseMessage) => void;
  readonly fail: (reason: string) => void;
};

/** Sends the request, and then its body. */
function createUpload(deps: ForwardedRequestDeps, { isEnded, respond, fail }: UploadOwner) {
  const { id, request, address, management, onUploaded } = deps;
  let sender: BodySender | undefined;

  /** Ends the request if it may not wait for its body. Bun drops what arrives after the cancellation. */
  function admit(reader: BodyReader): void {
    if (!isEnded() && !deps.mayUpload()) fail('too many uploads');
    if (isEnded()) reader.cancel().catch(() => {});
  }

  function sendWithBody(reader: BodyReader, start: BodyStart): void {
    const isComplete = start.next === undefined;
    if (isComplete) onUploaded();
    else admit(reader);
    if (isEnded()) return;
    sendRequest(isComplete ? joined(start.chunks) : 'parts');
    if (isComplete || isEnded()) return;
    sender = createBodySender(reader, start, remoteReceiver(management, id, onUploaded));
  }

  function sendRequest(content: Content): void {
    const { method, url, headers } = request;
    const message = { id, method, url, headers: listHeaders(headers), address, content };
    const settle = (answer: Answer<ResponseMessage>) => {
      if (isEnded()) return;
      if ('reason' in answer) fail(answer.reason);
      else respond(answer.result);
    };
    management.send('request', message, { size: 0, settle }, buffersOf(content));
  }

  return {
    begin() {
      if (request.body === null) {
        sendRequest(null);
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
    stop() {
      if (sender !== undefined) onUploaded();
      sender?.stop();
    },
  };
}

/** The status of a response that no client receives, as in nginx. */
const CLIENT_CLOSED = 499;
