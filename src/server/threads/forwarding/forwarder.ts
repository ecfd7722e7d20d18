import { closeConnection } from '../../../http/body.ts';
import { type Awaitable, chain } from '../../../lib/awaitable.ts';
import { createForwardedRequest, type ForwardedRequest } from './forwardedRequest.ts';
import { post, type ToRequestThread } from './messages.ts';

/** What the request thread knows about a request, besides the request itself. */
export type RequestFacts = {
  /** The remote address of the connection; undefined if it is closed. */
  readonly address: string | undefined;
};

/** Sends a request to the management thread. @returns its response */
export type Forward = (request: Request, facts: RequestFacts) => Awaitable<Response>;

export type ForwarderOptions = {
  /** Creates the response if the management thread cannot be reached, or if too many requests are running. */
  readonly unavailable: (request: Request) => Awaitable<Response>;
  /** Maximum number of requests that are forwarded at the same time. */
  readonly limit?: number;
};

/** Parts of bodies in messages occupy at most 64 KiB per request and direction (see messages.ts), and therefore at most 64 MiB in total. */
const MAX_FORWARDED = 512;

/**
 * The part of the limit for requests whose clients still send a body. Slow clients cannot use the rest, so that pages and health checks
 * stay available.
 */
const UPLOAD_SHARE = 0.75;

/**
 * Creates the function that forwards requests to the management thread, which calls `serveForwarded` with the other port of the
 * channel. When the port closes, waiting requests are answered with `unavailable`, and unfinished responses are aborted.
 */
export function createForwarder(
  port: MessagePort,
  { unavailable, limit = MAX_FORWARDED }: ForwarderOptions,
): Forward {
  const running = new Map<number, ForwardedRequest>();
  let lastId = 0;
  let isClosed = false;

  port.onmessage = ({ data }: { readonly data: ToRequestThread }) => running.get(data.id)?.receive(data);
  port.addEventListener('close', () => {
    isClosed = true;
    for (const forwarded of running.values()) forwarded.fail('the management thread ended');
  });

  /** The rest of a body is not read, so the connection cannot be used for another request. */
  function reject(request: Request): Awaitable<Response> {
    const response = unavailable(request);
    return request.body === null ? response : chain(response, closeConnection);
  }

  function mayUpload(): boolean {
    let uploads = 0;
    for (const forwarded of running.values()) if (forwarded.isUploading()) uploads++;
    return uploads < limit * UPLOAD_SHARE;
  }

  return (request, { address }) => {
    if (isClosed || running.size >= limit) return reject(request);
    return new Promise((respond) => {
      const id = ++lastId;
      const forwarded = createForwardedRequest({
        id,
        request,
        address,
        respond,
        unavailable: reject,
        mayUpload,
        send: (message) => post(port, message),
        onEnd: () => running.delete(id),
      });
      running.set(id, forwarded);
      request.signal.addEventListener('abort', forwarded.disconnect, { once: true });
      forwarded.begin();
    });
  };
}
