import { LRUCache } from 'lru-cache';
import { createMonotonicTime, HOUR, type Instant, MINUTE, SECOND } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import type { Signals } from './difficulty.ts';

/** Measures the load that clients and properties cause. The state is in memory, bounded, and lost on a restart. */
export type LoadMeter = {
  /**
   * Returns the fill of both buckets, then adds one puzzle to each.
   *
   * @param client keyed hash of the client address
   */
  readonly observe: (client: number, sitekey: Sitekey, now: Instant) => Signals;
  /** Returns the signals for a new client, without adding a puzzle. */
  readonly peek: (sitekey: Sitekey, now: Instant) => Signals;
};

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
export function createLoadMeter(capacity: number, propertyCapacity = capacity): LoadMeter {
  const monotonic = createMonotonicTime();
  const clients = new LRUCache<number, number>({ max: capacity });
  // A cache with `maxSize` instead of `max` does not allocate its capacity in advance.
  const properties = new LRUCache<Sitekey, PropertyLoad>({
    maxSize: propertyCapacity,
    sizeCalculation: () => 1,
  });

  /** A bucket with a constant leak is stored as the time when it will be empty. */
  function observeClient(client: number, now: Instant): number {
    const emptyAt = Math.max(clients.get(client) ?? now, now);
    clients.set(client, Math.min(emptyAt + CLIENT_INTERVAL, now + CLIENT_CAPACITY * CLIENT_INTERVAL));
    return (emptyAt - now) / CLIENT_INTERVAL;
  }

  function observeProperty(sitekey: Sitekey, now: Instant): number {
    let load = properties.get(sitekey);
    if (load === undefined) {
      load = { fill: 0, at: now, usualRate: MIN_USUAL_RATE };
      properties.set(sitekey, load);
    }
    const elapsed = now - load.at;
    load.fill = fillAt(load, now);
    load.at = now;
    const fill = load.fill / (load.usualRate * PROPERTY_WINDOW);
    load.fill++;
    load.usualRate = usualRateAfter(load.usualRate, elapsed);
    return fill;
  }

  return {
    observe(client, sitekey, now) {
      const time = monotonic(now);
      return { clientFill: observeClient(client, time), propertyFill: observeProperty(sitekey, time) };
    },
    peek(sitekey, now) {
      const load = properties.peek(sitekey);
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
function usualRateAfter(rate: number, elapsed: number): number {
  return Math.max(MIN_USUAL_RATE, rate * Math.exp(-elapsed / USUAL_TIME) + 1 / USUAL_TIME);
}
