import { type Awaitable, chain } from '../lib/awaitable.ts';
import { networkPathOf } from '../lib/clientNetworks.ts';
import { createFairShares, type OpenPart, type Part } from '../lib/fairShares.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Principal } from '../model/apiKey.ts';
import type { OrganizationId } from '../model/organization.ts';

export type BodyProblem =
  /** Larger than the path accepts. */
  | 'body-too-large'
  /** Slower than the minimum rate. */
  | 'body-too-slow'
  /** The unfinished bodies of this client or user use up its share of the memory, or others that use less need the memory. */
  | 'bodies-too-many';

type Reading<T> = Promise<Outcome<T, BodyProblem>>;

/**
 * Reads request bodies within limits of size, rate, and memory; the only code of a server that reads them. The promise rejects if the
 * client closes the connection.
 */
export type Bodies = {
  /** The body of a request whose credentials were accepted. @param limit in bytes @param owner whose share of the memory it uses */
  readonly bytes: (request: Request, limit: number, owner: BodyOwner) => Reading<Uint8Array>;
  /** The same as text. The text of a body that is not ASCII is unspecified, but never equals an ASCII text. */
  readonly ascii: (request: Request, limit: number, owner: BodyOwner) => Reading<string>;
  /** The body of a request without credentials, which uses the share of the client address. */
  readonly anonymous: (request: Request, limit: number) => Reading<Uint8Array>;
  /** Counts the memory of a body while its route waits before it reads the body. Without memory for it, the body is dropped. */
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
  /** Frees its memory. It is safe to repeat. @returns why the body was dropped; undefined if it can be read */
  readonly end: () => BodyProblem | undefined;
};

/** A user, or the organization of a key that belongs to no user. */
export type BodyOwner = `user ${number}` | `organization ${number}`;

/** @returns the owner of the bodies of requests with an API key */
export function bodyOwnerOf({
  accountId,
  organizationId = 0 as OrganizationId,
}: Pick<Principal, 'accountId' | 'organizationId'>): BodyOwner {
  return accountId === undefined ? `organization ${organizationId}` : `user ${accountId}`;
}

export type BodiesDeps = {
  /** The client address as rate limits count it; undefined if the connection is closed. */
  readonly clientOf: (request: Request) => string | undefined;
  /** Number of threads that share the memory. */
  readonly threads?: number;
};

/** Sizes in bytes of all bodies that have not arrived completely. */
type Memory = {
  readonly capacity: number;
  /** Maximum for one client address or owner. */
  readonly share: number;
};

/** Limits for tests. */
export type BodiesOptions = {
  /** Milliseconds after which a body must have the minimum rate. */
  readonly graceMs?: number;
  /** Minimum rate after this time, in bytes per second. */
  readonly rate?: number;
  /** Milliseconds until a body that no route reads must be complete. */
  readonly discardMs?: number;
  /** For requests without credentials. */
  readonly anonymous?: Memory;
  /** For requests whose credentials were accepted. */
  readonly owned?: Memory;
  /** For bodies that no route reads, or not yet. */
  readonly unread?: Memory;
};

const KIB = 1024;
const MIB = 1024 * KIB;

/** Enough to send a form or a solution, which has about 1 KiB, after the loss of some packets. */
const GRACE_MS = 5_000;
/** The slowest mobile networks (EDGE) have about 8 KiB/s. The largest body, 1 MiB, can take 4 minutes and 21 seconds. */
const RATE = 4 * KIB;
/** A form or a solution has about 1 KiB and is in memory for a few milliseconds. A share is 64 bodies of 64 KiB. */
const ANONYMOUS: Memory = { capacity: 32 * MIB, share: 4 * MIB };
/** A share is 16 of the largest bodies. */
const OWNED: Memory = { capacity: 64 * MIB, share: 16 * MIB };
/**
 * Bun stores up to about STORED_MAX_BYTES of a body that is not read, so that 400 bodies of 1 MiB took 460 MB. It drops what arrives after
 * a cancellation. A share is four of the largest bodies that are discarded, so one with four threads.
 */
const UNREAD: Memory = { capacity: 32 * MIB, share: 8 * MIB };
const STORED_MAX_BYTES = MIB;
/** Most bodies of unknown length are small. */
const CHUNKED_BYTES = 256 * KIB;
/** Bodies up to this size are read by Bun in one step, without progress; larger ones as a stream. */
const WHOLE_MAX_BYTES = 64 * KIB;

/** A client with 8 Mbit/s sends 2 MiB in this time. */
const DISCARD_MS = 2_000;
/** The maximum size of a discarded body, in bytes: twice the largest body that a path accepts. */
const DISCARD_MAX_BYTES = 2 * MIB;

/** @see Bodies */
export function createBodies(
  { clientOf, threads = 1 }: BodiesDeps,
  {
    graceMs = GRACE_MS,
    rate = RATE,
    discardMs = DISCARD_MS,
    anonymous = ANONYMOUS,
    owned = OWNED,
    unread = UNREAD,
  }: BodiesOptions = {},
): Bodies {
  const pace = createPace(graceMs, rate);
  const discardPace = createPace(discardMs, Number.POSITIVE_INFINITY);
  const sharesOf = ({ capacity, share }: Memory) =>
    createFairShares({ capacity: capacity / threads, share: share / threads });
  const [anonymousShares, ownedShares] = [sharesOf(anonymous), sharesOf(owned)];
  const unreadShares = sharesOf(unread);
  const { hold, problemOf } = createHeldBodies((request, onRevoked) =>
    unreadShares(clientPathOf(request), onRevoked),
  );
  const clientPathOf = (request: Request) => networkPathOf(clientOf(request) ?? '');

  /** Reads a body as a stream, which uses as much memory as has arrived. */
  function collected(
    request: Request,
    limit: number,
    openPart: OpenPart,
    path: readonly string[],
  ): Reading<Uint8Array> {
    const dropped = problemOf(request);
    if (dropped !== undefined) return Promise.resolve(reject(dropped));
    if ((declaredLength(request) ?? 0) > limit) return TOO_LARGE;
    if (request.body === null) return EMPTY;
    const reader: Reader = request.body.getReader();
    const read = (arrival: Arrival) => collect(reader, limit, arrival);
    return arrive(pace, {
      openPart,
      path,
      read,
      outcomeOf: (outcome) => outcome,
      stop: () => cancel(reader),
    });
  }

  /** Reads a body whose length is known in one step, which costs less. */
  function whole<Raw, T>(
    request: Request,
    length: number,
    owner: BodyOwner,
    read: () => Promise<Raw>,
    outcomeOf: (raw: Raw) => Outcome<T, BodyProblem>,
  ): Reading<T> {
    const dropped = problemOf(request);
    if (dropped !== undefined) return Promise.resolve(reject(dropped));
    return arrive(pace, { openPart: ownedShares, path: [owner], size: length, read, outcomeOf });
  }

  return {
    bytes(request, limit, owner) {
      const length = declaredLength(request);
      return length !== undefined && length <= Math.min(limit, WHOLE_MAX_BYTES)
        ? whole(request, length, owner, () => request.bytes(), done<Uint8Array>)
        : collected(request, limit, ownedShares, [owner]);
    },
    ascii(request, limit, owner) {
      const length = declaredLength(request);
      if (length === undefined || length > Math.min(limit, WHOLE_MAX_BYTES))
        return collected(request, limit, ownedShares, [owner]).then(latin1);
      // Bun's decoder is the fastest (2 µs less than bytes), but drops a byte order mark. Then the length differs.
      const unchanged = (text: string) => done(text.length === length ? text : NOT_ASCII);
      return whole(request, length, owner, () => request.text(), unchanged);
    },
    anonymous: (request, limit) => collected(request, limit, anonymousShares, clientPathOf(request)),
    hold,
    async discard(request) {
      if (request.body === null) return false;
      const reader: Reader = request.body.getReader();
      if ((declaredLength(request) ?? 0) > DISCARD_MAX_BYTES) {
        cancel(reader);
        return false;
      }
      const end = await arrive(discardPace, {
        openPart: unreadShares,
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

/** Creates the functions for bodies that their routes do not read yet. @param openPart of the memory of a request's client */
function createHeldBodies(openPart: (request: Request, onRevoked: () => void) => Part) {
  const heldBodies = new WeakMap<Request, HeldBody>();
  return {
    hold(request: Request): HeldBody {
      let problem: BodyProblem | undefined;
      const drop = (reason: BodyProblem) => {
        problem = reason;
        request.body?.cancel().catch(() => {});
      };
      const part = openPart(request, () => drop('bodies-too-many'));
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
  };
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** Stops reading; the rest of the body is dropped. */
function cancel(reader: Reader): void {
  reader.cancel().catch(() => {});
}

const EMPTY = Promise.resolve(done(new Uint8Array()));
const TOO_LARGE = Promise.resolve(reject('body-too-large'));
const NOT_ASCII = '\ufffd';

/** @returns the memory that a body can use while it is not read, in bytes */
export function storedSizeOf(request: Request): number {
  return Math.min(declaredLength(request) ?? CHUNKED_BYTES, STORED_MAX_BYTES);
}

/** @returns undefined for a chunked body */
function declaredLength({ headers }: Request): number | undefined {
  const declared = headers.get('content-length');
  return declared === null ? undefined : Number(declared);
}

function latin1(read: Outcome<Uint8Array, BodyProblem>): Outcome<string, BodyProblem> {
  return read.ok ? done(Buffer.from(read.value).toString('latin1')) : read;
}

/**
 * Reads a stream into one buffer that doubles in size. Waits one turn of the event loop between two reads, so that Bun joins the
 * chunks that have arrived: 60,000 chunks of one byte take 3 reads and 3 ms instead of 70 ms.
 */
async function collect(
  reader: Reader,
  limit: number,
  arrival: Arrival,
): Promise<Outcome<Uint8Array, BodyProblem>> {
  let buffer = new Uint8Array();
  let size = 0;
  try {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return done(buffer.subarray(0, size));
      if (size + value.length > limit) return reject('body-too-large');
      if (size + value.length > buffer.length) {
        const length = Math.min(limit, Math.max(size + value.length, 2 * buffer.length));
        if (!arrival.grow(length - buffer.length)) return reject('bodies-too-many');
        const longer = new Uint8Array(length);
        longer.set(buffer.subarray(0, size));
        buffer = longer;
      }
      buffer.set(value, size);
      size += value.length;
      arrival.bytes = size;
      await new Promise(setImmediate);
    }
  } finally {
    cancel(reader);
  }
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

/** A body that has not arrived completely. */
type Arrival = {
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
  /** Bytes that have arrived or, if this is unknown, all bytes. */
  bytes: number;
  /** Reserves memory. @returns false if there is none */
  readonly grow: Part['grow'];
  /** Stops reading. */
  readonly end: (problem: BodyProblem) => void;
};

/** Ends the bodies that are too slow. */
type Pace = { readonly begin: (arrival: Arrival) => void; readonly finish: (arrival: Arrival) => void };

const TOO_MANY = reject('bodies-too-many');

/** Time between two checks of the bodies that are older than the grace time, in milliseconds. */
const CHECK_MS = 1_000;

/**
 * Creates the check of the rates. One timer is enough for all bodies, because all have the same grace time: a body that arrives
 * in this time costs an entry in a set, but no timer.
 *
 * @param rate bytes per second
 */
function createPace(graceMs: number, rate: number): Pace {
  const arrivals = new Set<Arrival>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function arm(delay: number): void {
    timer = setTimeout(check, delay);
    timer.unref();
  }

  function check(): void {
    timer = undefined;
    const now = performance.now();
    for (const arrival of arrivals) {
      const { since, bytes, end } = arrival;
      // All others are younger.
      if (now - since < graceMs) break;
      if (now - since >= graceMs + (1000 * bytes) / rate) end('body-too-slow');
    }
    const [oldest] = arrivals;
    const left = oldest === undefined ? 0 : oldest.since + graceMs - now;
    if (oldest !== undefined) arm(left > 0 ? left : Math.min(CHECK_MS, graceMs));
  }

  return {
    begin(arrival) {
      arrivals.add(arrival);
      if (timer === undefined) arm(graceMs);
    },
    finish: (arrival) => void arrivals.delete(arrival),
  };
}

type Arriving<Raw, T> = {
  readonly openPart: OpenPart;
  /** The owner of the memory, and its groups. */
  readonly path: readonly string[];
  /** Bytes of memory to reserve at once, if they are known. */
  readonly size?: number;
  readonly read: (arrival: Arrival) => Promise<Raw>;
  readonly outcomeOf: (raw: Raw) => Outcome<T, BodyProblem>;
  /** Called if the body is no longer needed, because there already is an outcome. */
  readonly stop?: () => void;
};

/** Reads a body. It ends when it is complete, too slow, or loses its memory. */
function arrive<Raw, T>(
  { begin, finish }: Pace,
  { openPart, path, size = 0, read, outcomeOf, stop }: Arriving<Raw, T>,
): Reading<T> {
  return new Promise((resolve, fail) => {
    const part = openPart(path, () => arrival.end('bodies-too-many'));
    const arrival: Arrival = {
      since: performance.now(),
      bytes: size,
      grow: part.grow,
      end(problem) {
        release();
        resolve(reject(problem));
        stop?.();
      },
    };
    const release = () => {
      finish(arrival);
      part.release();
    };
    if (!part.grow(size)) {
      resolve(TOO_MANY);
      stop?.();
      return;
    }
    begin(arrival);
    read(arrival).then(
      (raw) => {
        release();
        resolve(outcomeOf(raw));
      },
      (error) => {
        release();
        fail(error);
      },
    );
  });
}

/** The HTTP status of each problem. */
export const BODY_STATUS: Readonly<Record<BodyProblem, number>> = {
  'body-too-large': 413,
  'body-too-slow': 408,
  'bodies-too-many': 503,
};

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

/** What is needed of the bodies that no route reads, or not yet. */
export type UnreadBodies = Pick<Bodies, 'discard' | 'hold'>;

async function discarded(
  { discard }: Pick<UnreadBodies, 'discard'>,
  request: Request,
  response: Response,
): Promise<Response> {
  const isComplete = await discard(request).catch(() => false);
  return isComplete ? response : closeConnection(response);
}
