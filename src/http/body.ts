import { done, type Outcome, refuse } from '../lib/outcome.ts';

export type BodyProblem =
  /** Larger than the path accepts. */
  | 'body-too-large'
  /** Not complete after 30 seconds. */
  | 'body-too-slow'
  /** The bodies of requests without credentials together take all of their memory. */
  | 'bodies-too-many';

type Reading<T> = Promise<Outcome<T, BodyProblem>>;

/** Reads request bodies within bounds of size, time, and memory. Rejects when the client closes the connection. */
export type Bodies = {
  /** The body of a request whose credentials were accepted. @param limit in bytes */
  readonly bytes: (request: Request, limit: number) => Reading<Uint8Array>;
  /** The same as text. A body that is not plain ASCII is never equal to a text that is: a byte-order mark is kept. */
  readonly ascii: (request: Request, limit: number) => Reading<string>;
  /** The body of a request without credentials. All of these together hold a bounded number of bytes. */
  readonly anonymous: (request: Request, limit: number) => Reading<Uint8Array>;
};

export type BodiesOptions = {
  /** Milliseconds until a body must be complete. */
  readonly timeMs?: number;
  /** Bytes that all bodies of requests without credentials hold together. */
  readonly capacity?: number;
};

/** Half a minute sends 1 MB at 300 kbit/s. */
const TIME_MS = 30_000;
/** 512 bodies of 64 KiB. A form or a verification has less than 1 KiB, and is held for a few milliseconds. */
const CAPACITY = 32 * 1024 * 1024;

/** @see Bodies */
export function createBodies({ timeMs = TIME_MS, capacity = CAPACITY }: BodiesOptions = {}): Bodies {
  const inTime = createDeadlines(timeMs);
  const everything: Budget = { take: () => true, giveBack: () => {} };
  const shared = createBudget(capacity);

  function collected(request: Request, limit: number, budget: Budget): Reading<Uint8Array> {
    if (request.body === null) return EMPTY;
    const reader: Reader = request.body.getReader();
    return inTime(
      collect(reader, limit, budget),
      (read) => read,
      () => cancel(reader),
    );
  }

  return {
    bytes(request, limit) {
      const declared = declaredLength(request);
      if (declared === undefined) return collected(request, limit, everything);
      return declared > limit ? TOO_LARGE : inTime(request.bytes(), done);
    },
    ascii(request, limit) {
      const declared = declaredLength(request);
      if (declared === undefined) return collected(request, limit, everything).then(latin1);
      // Bun's own decoder is the fastest way (2 µs less than bytes), but drops a byte-order mark: then the length differs.
      const kept = (text: string) => done(text.length === declared ? text : NOT_ASCII);
      return declared > limit ? TOO_LARGE : inTime(request.text(), kept);
    },
    anonymous(request, limit) {
      const declared = declaredLength(request);
      return declared !== undefined && declared > limit ? TOO_LARGE : collected(request, limit, shared);
    },
  };
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** What is still to come is not read. */
function cancel(reader: Reader): void {
  reader.cancel().catch(() => {});
}

const EMPTY = Promise.resolve(done(new Uint8Array()));
const TOO_LARGE = Promise.resolve(refuse('body-too-large'));
const NOT_ASCII = '\ufffd';

/** @returns undefined for a body in chunks */
function declaredLength({ headers }: Request): number | undefined {
  const declared = headers.get('content-length');
  return declared === null ? undefined : Number(declared);
}

function latin1(read: Outcome<Uint8Array, BodyProblem>): Outcome<string, BodyProblem> {
  return read.ok ? done(Buffer.from(read.value).toString('latin1')) : read;
}

type Budget = { readonly take: (bytes: number) => boolean; readonly giveBack: (bytes: number) => void };

function createBudget(capacity: number): Budget {
  let free = capacity;
  return {
    take(bytes) {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    giveBack(bytes) {
      free += bytes;
    },
  };
}

/**
 * Reads what arrives into one buffer that doubles. Between two reads the event loop turns once, so that Bun joins the chunks
 * that have arrived: 60,000 chunks of one byte become 3 reads, 3 instead of 70 ms.
 */
async function collect(
  reader: Reader,
  limit: number,
  budget: Budget,
): Promise<Outcome<Uint8Array, BodyProblem>> {
  let buffer = new Uint8Array();
  let size = 0;
  try {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return done(buffer.subarray(0, size));
      if (size + value.length > limit) return refuse('body-too-large');
      if (size + value.length > buffer.length) {
        const length = Math.min(limit, Math.max(size + value.length, 2 * buffer.length));
        if (!budget.take(length - buffer.length)) return refuse('bodies-too-many');
        const longer = new Uint8Array(length);
        longer.set(buffer.subarray(0, size));
        buffer = longer;
      }
      buffer.set(value, size);
      size += value.length;
      await new Promise(setImmediate);
    }
  } finally {
    budget.giveBack(buffer.length);
    // Of a body that is complete, nothing is left to cancel.
    cancel(reader);
  }
}

type Waiting = {
  readonly since: number;
  readonly resolve: (outcome: Outcome<never, BodyProblem>) => void;
  readonly onLapse: () => void;
};

const IGNORE = () => {};
const TOO_SLOW = refuse('body-too-slow');

/**
 * Ends readings that take too long. All have the same time, so the oldest one ends first, and one timer is enough: a body
 * that comes in time costs an entry in a set, and no timer.
 */
function createDeadlines(timeMs: number) {
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function arm(delay: number): void {
    timer = setTimeout(check, delay);
    timer.unref();
  }

  function check(): void {
    timer = undefined;
    const now = performance.now();
    for (const one of waiting) {
      const left = one.since + timeMs - now;
      if (left > 0) {
        arm(left);
        return;
      }
      waiting.delete(one);
      one.resolve(TOO_SLOW);
      one.onLapse();
    }
  }

  /** @param onLapse called when the time is over and the outcome is `body-too-slow` */
  return <Raw, T>(
    reading: Promise<Raw>,
    outcomeOf: (raw: Raw) => Outcome<T, BodyProblem>,
    onLapse = IGNORE,
  ): Reading<T> =>
    new Promise((resolve, reject) => {
      const one: Waiting = { since: performance.now(), resolve, onLapse };
      waiting.add(one);
      if (timer === undefined) arm(timeMs);
      reading.then(
        (raw) => {
          waiting.delete(one);
          resolve(outcomeOf(raw));
        },
        (error) => {
          waiting.delete(one);
          reject(error);
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

/** Ends the connection of a body that came too slowly after this response: the rest of it is not waited for. */
export function endSlow(problem: BodyProblem, response: Response): Response {
  if (problem === 'body-too-slow') response.headers.set('Connection', 'close');
  return response;
}
