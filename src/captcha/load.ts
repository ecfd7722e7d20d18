import { LRUCache } from 'lru-cache';
import { createTally } from '../lib/tally.ts';
import { createMonotonicTime, HOUR, type Instant, MINUTE, SECOND } from '../lib/time.ts';
import type { PropertyId } from '../model/property.ts';
import type { Share, SharedCounts } from '../model/sharedCounts.ts';
import type { Signals } from './difficulty.ts';

/** Measures the load that clients and properties cause. The state is in memory, bounded, and lost on a restart. */
export type LoadMeter = {
  /**
   * Returns the fill of both buckets, then adds one puzzle to each.
   *
   * @param client keyed hash of the client address
   */
  readonly observe: (client: number, property: PropertyId, now: Instant) => Signals;
  /** Returns the signals for a new client, without adding a puzzle. */
  readonly peek: (property: PropertyId, now: Instant) => Signals;
};

/** Registers the counts that nodes exchange. The functions are undefined if there is only one node. */
export type ShareLoad = { readonly clients?: Share | undefined; readonly properties?: Share | undefined };

type PropertyLoad = {
  fill: number;
  at: Instant;
  /** Puzzles per millisecond, averaged over about an hour. */
  usualRate: number;
};

/** A client's bucket leaks one puzzle every ten seconds, so six puzzles per minute never raise the difficulty. */
const CLIENT_INTERVAL = 10 * SECOND;
/**
 * Maximum fill of a client's bucket: 121 times the work on `medium`, and empty after 100 minutes. Without a limit, a busy
 * network behind one address would lock itself out for days.
 */
const CLIENT_CAPACITY = 600;
/** The usual rate is averaged over this time, long enough that a burst does not raise it noticeably. */
const USUAL_TIME = HOUR;
/** A property's bucket leaks at twice the usual rate; its fill is a multiple of the usual traffic in this window. */
const PROPERTY_LEAK_FACTOR = 2;
const PROPERTY_WINDOW = 5 * MINUTE;
/** Minimum usual rate, so that the first visitors of a rarely used property do not count as a burst. */
const MIN_USUAL_RATE = 1 / (3 * SECOND);

/**
 * @param capacity maximum number of clients; the least recently seen one is evicted
 * @param propertyCapacity maximum number of properties
 */
export function createLoadMeter(
  capacity: number,
  propertyCapacity = capacity,
  share: ShareLoad = {},
): LoadMeter {
  const monotonic = createMonotonicTime();
  const clients = new LRUCache<number, number>({ max: capacity });
  // A cache with `maxSize` instead of `max` does not allocate its capacity in advance.
  const properties = new LRUCache<number, PropertyLoad>({
    maxSize: propertyCapacity,
    sizeCalculation: () => 1,
  });

  /** A bucket with a constant leak is stored as the time when it will be empty. @returns the fill before the puzzles are added */
  function fillClient(client: number, puzzles: number, now: Instant): number {
    const emptyAt = Math.max(clients.get(client) ?? now, now);
    const next = emptyAt + puzzles * CLIENT_INTERVAL;
    clients.set(client, Math.min(next, now + CLIENT_CAPACITY * CLIENT_INTERVAL));
    return (emptyAt - now) / CLIENT_INTERVAL;
  }

  /** @returns the fill before the puzzles are added */
  function fillProperty(property: number, puzzles: number, now: Instant): number {
    let load = properties.get(property);
    if (load === undefined) {
      load = { fill: 0, at: now, usualRate: MIN_USUAL_RATE };
      properties.set(property, load);
    }
    const elapsed = now - load.at;
    load.fill = fillAt(load, now);
    load.at = now;
    const fill = load.fill / (load.usualRate * PROPERTY_WINDOW);
    load.fill += puzzles;
    load.usualRate = usualRateAfter(load.usualRate, elapsed, puzzles);
    return fill;
  }

  function addWith(fill: typeof fillClient): SharedCounts['add'] {
    return (counts, now) => {
      const time = monotonic(now);
      for (const [key, puzzles] of counts) fill(key, puzzles, time);
    };
  }

  const clientTally = share.clients && createTally((client) => clients.peek(client) ?? 0);
  const propertyTally = share.properties && createTally((_, puzzles) => puzzles);
  if (clientTally) share.clients?.({ take: clientTally.take, add: addWith(fillClient) });
  if (propertyTally) share.properties?.({ take: propertyTally.take, add: addWith(fillProperty) });

  return {
    observe(client, property, now) {
      const time = monotonic(now);
      clientTally?.add(client, 1);
      propertyTally?.add(property, 1);
      return { clientFill: fillClient(client, 1, time), propertyFill: fillProperty(property, 1, time) };
    },
    peek(property, now) {
      const load = properties.peek(property);
      if (load === undefined) return { clientFill: 0, propertyFill: 0 };
      return {
        clientFill: 0,
        propertyFill: fillAt(load, monotonic(now)) / (load.usualRate * PROPERTY_WINDOW),
      };
    },
  };
}

/** @returns the current fill in puzzles */
function fillAt({ fill, at, usualRate }: PropertyLoad, now: Instant): number {
  return Math.max(0, fill - (now - at) * PROPERTY_LEAK_FACTOR * usualRate);
}

/**
 * An exponentially weighted moving average of an event rate: it decays with the time since the last event, and each event
 * adds 1 / USUAL_TIME, so that the average of a constant rate is that rate.
 */
function usualRateAfter(rate: number, elapsed: number, events: number): number {
  return Math.max(MIN_USUAL_RATE, rate * Math.exp(-elapsed / USUAL_TIME) + events / USUAL_TIME);
}
