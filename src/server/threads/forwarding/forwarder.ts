import { HEALTH_PATHS } from '../../../http/monitoring.ts';
import { closeConnection, storedSizeOf } from '../../../http/unreadBody.ts';
import { type Awaitable, chain } from '../../../lib/awaitable.ts';
import { createFairShares, networkPathOf } from '../../../lib/fairShares.ts';
import { lazy } from '../../../lib/lazy.ts';
import { pathOf } from '../../../lib/target.ts';
import { connectThread } from '../../../threads/protocol.ts';
import type { BodyMethods } from './bodyTransfer.ts';
import { createForwardedRequest, type ForwardedRequest } from './forwardedRequest.ts';
import type { ForwardingMethods } from './forwardingMethods.ts';

/** What the request thread knows about a request, besides the request itself. */
export type RequestFacts = {
  /** The remote address of the connection; undefined if it is closed. */
  readonly address: string | undefined;
  /** The client address as rate limits count it; undefined if the connection is closed. */
  readonly client: string | undefined;
};

/** Sends a request to the management thread. @returns its response */
export type Forward = (request: Request, facts: RequestFacts) => Awaitable<Response>;

export type ForwarderOptions = {
  /** Creates the response if the management thread cannot be reached, or if too many requests are running. */
  readonly unavailable: (request: Request) => Awaitable<Response>;
  /** Maximum number of requests that are forwarded at the same time. */
  readonly limit?: number;
};

/**
 * Parts of bodies in messages occupy at most 64 KiB per request and direction (see messages.ts), and therefore at most 64 MiB in total.
 * A client may use the whole limit while no other client needs it.
 */
const MAX_FORWARDED = 512;

/**
 * The parts of the limit for requests whose bodies are still arriving, and for requests whose responses are sent in parts; the part for
 * each client. Clients that send or read slowly cannot use the rest, so pages stay available.
 */
const STREAMS = { capacity: 0.75, share: 0.125 } as const;

/** Memory of the bodies that are still arriving on this thread, in bytes. A share holds four of the largest bodies that a path accepts. */
const UPLOAD_MEMORY = { capacity: 16 * 1024 ** 2, share: 4 * 1024 ** 2 } as const;

/** More requests for the health and metrics of the server, so that monitoring gets a response when all others are rejected. */
const HEALTH_RESERVE = 32;

/**
 * Creates the function that forwards requests to the management thread, which calls `serveForwarded` with the other port of the
 * channel. When the port closes, waiting requests are answered with `unavailable`, and unfinished responses are aborted.
 */
export function createForwarder(
  port: MessagePort,
  { unavailable, limit = MAX_FORWARDED }: ForwarderOptions,
): Forward {
  const running = new Map<number, ForwardedRequest>();
  const requests = createFairShares({ capacity: limit, share: limit });
  const health = createFairShares({ capacity: HEALTH_RESERVE, share: HEALTH_RESERVE });
  const streams = {
    capacity: Math.max(1, limit * STREAMS.capacity),
    share: Math.max(1, limit * STREAMS.share),
  };
  const [uploads, downloads] = [createFairShares(streams), createFairShares(streams)];
  const uploadMemory = createFairShares(UPLOAD_MEMORY);
  let lastId = 0;

  const management = connectThread<ForwardingMethods>(
    port,
    {
      addPart: ({ id, bytes }) => running.get(id)?.download.add(bytes),
      endBody: (id) => running.get(id)?.download.end(),
      failBody: ({ id, reason }) => running.get(id)?.download.fail(new Error(reason)),
      allowPart: (id) => running.get(id)?.upload.allowPart(),
      stopBody: (id) => running.get(id)?.upload.stop(),
    } satisfies BodyMethods,
    'management thread',
    (reason) => {
      for (const forwarded of running.values()) forwarded.fail(reason);
    },
  );

  /** The rest of a body is not read, so the connection cannot be used for another request. */
  function reject(request: Request): Awaitable<Response> {
    const response = unavailable(request);
    return request.body === null ? response : chain(response, closeConnection);
  }

  return (request, { address, client = '' }) => {
    if (!management.isAlive()) return reject(request);
    const id = ++lastId;
    const path = networkPathOf(client);
    const revoke = () => running.get(id)?.revoke();
    const place = (isHealthRequest(request) ? health : requests)(path, revoke);
    if (!place.grow(1)) return reject(request);
    const [upload, download] = [uploads(path, revoke), downloads(path, revoke)];
    const memory = uploadMemory(path, revoke);
    const releaseUpload = () => {
      upload.release();
      memory.release();
    };
    return new Promise((respond) => {
      const forwarded = createForwardedRequest({
        id,
        request,
        address,
        respond,
        unavailable: reject,
        mayUpload: lazy(() => upload.grow(1) && memory.grow(storedSizeOf(request))),
        onUploaded: releaseUpload,
        mayDownload: () => download.grow(1),
        management,
        onEnd() {
          running.delete(id);
          for (const part of [place, upload, memory, download]) part.release();
        },
      });
      running.set(id, forwarded);
      request.signal.addEventListener('abort', forwarded.disconnect, { once: true });
      forwarded.begin();
    });
  };
}

/** A request with a body does not count, because the body may arrive slowly. */
function isHealthRequest(request: Request): boolean {
  return request.body === null && HEALTH_PATHS.has(pathOf(request));
}
