import type { OpenPart, Part } from '../lib/fairShares.ts';
import { type Outcome, reject } from '../lib/outcome.ts';

export type BodyProblem =
  /** Larger than the path accepts. */
  | 'body-too-large'
  /** Slower than the minimum rate. */
  | 'body-too-slow'
  /** The unfinished bodies of this client or user use up its share of the memory, or others that use less need the memory. */
  | 'bodies-too-many';

export type Reading<T> = Promise<Outcome<T, BodyProblem>>;

/** Sizes in bytes of all bodies that have not arrived completely. */
export type Memory = {
  readonly capacity: number;
  /** Maximum for one client address or owner. */
  readonly share: number;
};

export type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** Stops reading; the rest of the body is dropped. */
export function cancel(reader: Reader): void {
  reader.cancel().catch(() => {});
}

/** A body that has not arrived completely. */
export type Arrival = {
  /** Milliseconds of `performance.now()`. */
  readonly since: number;
  /** Bytes that have arrived or, if their number is unknown, all bytes. */
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
 * Creates the check of the rates. One timer is enough for all bodies, because all have the same grace time. A body that arrives
 * within this time costs an entry in a set, but no timer.
 *
 * @param rate bytes per second
 */
export function createPace(graceMs: number, rate: number): Pace {
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
export function arrive<Raw, T>(
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
