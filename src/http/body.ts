import { createFairShares, networkPathOf, type OpenPart } from '../lib/fairShares.ts';
import { done, type Outcome, reject } from '../lib/outcome.ts';
import type { Principal } from '../model/apiKey.ts';
import type { OrganizationId } from '../model/organization.ts';
import {
  type Arrival,
  arrive,
  type BodyProblem,
  cancel,
  createPace,
  type Memory,
  type Reader,
  type Reading,
} from './bodyArrival.ts';
import { createUnreadBodies, DISCARD_MS, declaredLength, UNREAD, type UnreadBodies } from './unreadBody.ts';

/**
 * Reads request bodies within limits of size, rate, and memory; the only code of a server that reads them. The promise rejects if the
 * client closes the connection.
 */
export type Bodies = UnreadBodies & {
  /** The body of a request whose credentials were accepted. @param limit in bytes @param owner whose share of the memory it uses */
  readonly bytes: (request: Request, limit: number, owner: BodyOwner) => Reading<Uint8Array>;
  /** The same as text. The text of a body that is not ASCII is unspecified, but never equals an ASCII text. */
  readonly ascii: (request: Request, limit: number, owner: BodyOwner) => Reading<string>;
  /** The body of a request without credentials, which uses the share of the client address. */
  readonly anonymous: (request: Request, limit: number) => Reading<Uint8Array>;
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
  /** For bodies that no route reads, or has started to read. */
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
/** Bodies up to this size are read by Bun in one step, without progress; larger ones as a stream. */
const WHOLE_MAX_BYTES = 64 * KIB;

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
  const sharesOf = ({ capacity, share }: Memory) =>
    createFairShares({ capacity: capacity / threads, share: share / threads });
  const [anonymousShares, ownedShares] = [sharesOf(anonymous), sharesOf(owned)];
  const clientPathOf = (request: Request) => networkPathOf(clientOf(request) ?? '');
  const { hold, problemOf, discard } = createUnreadBodies({
    openPart: sharesOf(unread),
    clientPathOf,
    discardMs,
  });

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
    discard,
  };
}

const EMPTY = Promise.resolve(done(new Uint8Array()));
const TOO_LARGE = Promise.resolve(reject('body-too-large'));
const NOT_ASCII = '\ufffd';

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
