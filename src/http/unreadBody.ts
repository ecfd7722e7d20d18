import { type Awaitable, chain } from '../lib/awaitable.ts';
import type { OpenPart } from '../lib/fairShares.ts';
import { done } from '../lib/outcome.ts';
import { arrive, type BodyProblem, cancel, createPace, type Memory, type Reader } from './bodyArrival.ts';

/** The bodies that no route reads, or has started to read. */
export type UnreadBodies = {
  /** Counts the memory of a body until its route reads the body. Without memory for it, the body is dropped. */
  readonly hold: (request: Request) => HeldBody;
  /**
   * Reads and discards a body that no route has started to read. Without memory for it, the body is dropped as it arrives.
   *
   * @returns whether its end was reached, so that the connection can be used for another request
   */
  readonly discard: (request: Request) => Promise<boolean>;
};

/** A body that its route does not read yet. */
export type HeldBody = {
  /** Frees its memory. Safe to repeat. @returns why the body was dropped; undefined if it can be read */
  readonly end: () => BodyProblem | undefined;
};

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Bun stores up to about STORED_MAX_BYTES of a body that is not read, so that 400 bodies of 1 MiB raised the memory from 110 to 558 MB. It
 * drops what arrives after a cancellation. A share holds four of the largest bodies that are discarded, or one on each of four threads.
 */
export const UNREAD: Memory = { capacity: 32 * MIB, share: 8 * MIB };
const STORED_MAX_BYTES = MIB;
/** Most bodies of unknown length are small. */
const CHUNKED_BYTES = 256 * KIB;

/** A client with 8 Mbit/s sends 2 MiB in this time. */
export const DISCARD_MS = 2_000;
/** The maximum size of a discarded body, in bytes: twice the largest body that a path accepts. */
const DISCARD_MAX_BYTES = 2 * MIB;

export type UnreadBodiesDeps = {
  readonly openPart: OpenPart;
  /** The client address and its groups. */
  readonly clientPathOf: (request: Request) => readonly string[];
  /** Time limit for a body that no route reads, in milliseconds. */
  readonly discardMs: number;
};

/** @see UnreadBodies */
export function createUnreadBodies({ openPart, clientPathOf, discardMs }: UnreadBodiesDeps) {
  const heldBodies = new WeakMap<Request, HeldBody>();
  const pace = createPace(discardMs, Number.POSITIVE_INFINITY);
  return {
    hold(request: Request): HeldBody {
      let problem: BodyProblem | undefined;
      const drop = (reason: BodyProblem) => {
        problem = reason;
        request.body?.cancel().catch(() => {});
      };
      const part = openPart(clientPathOf(request), () => drop('bodies-too-many'));
      if ((declaredLength(request) ?? 0) > DISCARD_MAX_BYTES) drop('body-too-large');
      else if (!part.grow(storedSizeOf(request))) drop('bodies-too-many');
      const held: HeldBody = {
        end() {
          part.release();
          return problem;
        },
      };
      heldBodies.set(request, held);
      return held;
    },
    /** Call this before a route reads a body. @returns why the body was dropped; undefined if it can be read */
    problemOf: (request: Request) => heldBodies.get(request)?.end(),
    async discard(request: Request): Promise<boolean> {
      if (request.body === null) return false;
      const reader: Reader = request.body.getReader();
      if ((declaredLength(request) ?? 0) > DISCARD_MAX_BYTES) {
        cancel(reader);
        return false;
      }
      const end = await arrive(pace, {
        openPart,
        path: clientPathOf(request),
        size: storedSizeOf(request),
        read: () => hasEnd(reader),
        outcomeOf: done,
        stop: () => cancel(reader),
      });
      return end.ok && end.value;
    },
  };
}

/** @returns the memory that a body can use while it is not read, in bytes */
export function storedSizeOf(request: Request): number {
  return Math.min(declaredLength(request) ?? CHUNKED_BYTES, STORED_MAX_BYTES);
}

/** @returns undefined for a chunked body */
export function declaredLength({ headers }: Request): number | undefined {
  const declared = headers.get('content-length');
  return declared === null ? undefined : Number(declared);
}

/** Reads and discards a stream. @returns whether its end was reached within DISCARD_MAX_BYTES */
async function hasEnd(reader: Reader): Promise<boolean> {
  let size = 0;
  try {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return true;
      size += value.length;
      if (size > DISCARD_MAX_BYTES) return false;
    }
  } finally {
    cancel(reader);
  }
}

/**
 * Closes the connection after the response to a request whose body was not read to its end (RFC 9112, section 9.3). Otherwise, some
 * proxies reuse the connection for another request, which the server then reads as the rest of this body.
 */
export function closeConnection(response: Response): Response {
  response.headers.set('Connection', 'close');
  return response;
}

/** @returns whether the request has a body that no route has started to read. Takes 70 ns (Bun 1.4.5). */
function hasUnreadBody({ bodyUsed, headers }: Request): boolean {
  if (bodyUsed) return false;
  const length = headers.get('content-length');
  return length === null ? headers.has('transfer-encoding') : length !== '0';
}

/**
 * Sends a response after the client has sent the body. If the server closed the connection earlier, the client could lose the response:
 * nginx and Caddy then return 502.
 */
export function afterBody(
  bodies: UnreadBodies,
  request: Request,
  respond: Awaitable<Response>,
): Awaitable<Response> {
  const held = respond instanceof Promise && hasUnreadBody(request) ? bodies.hold(request) : undefined;
  return chain(respond, (response) => {
    if (held?.end() !== undefined) return closeConnection(response);
    return hasUnreadBody(request) ? discarded(bodies, request, response) : response;
  });
}

async function discarded({ discard }: Pick<UnreadBodies, 'discard'>, request: Request, response: Response) {
  const isComplete = await discard(request).catch(() => false);
  return isComplete ? response : closeConnection(response);
}
