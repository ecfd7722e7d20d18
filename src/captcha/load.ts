import { LRUCache } from 'lru-cache';
import { createMonotonicTime, HOUR, type Instant, MINUTE, SECOND } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import type { Signals } from './difficulty.ts';

/** Measures how hard one client and one property are pressed. In memory, bounded, forgotten at a restart. */
export type LoadMeter = {
  /**
   * Reads both buckets, then adds one puzzle to each.
   *
   * @param client who asks: an address, as blinded by the caller
   */
  readonly observe: (client: number, sitekey: Sitekey, now: Instant) => Signals;
  /** What a client that was not seen before would meet. Adds nothing. */
  readonly look: (sitekey: Sitekey, now: Instant) => Signals;
};

type PropertyLoad = {
  fill: number;
  at: Instant;
  /** Puzzles a millisecond, averaged over about an hour. */
  usualRate: number;
};

/** A client's bucket leaks one puzzle in ten seconds: who takes six a minute forever pays nothing. */
const CLIENT_INTERVAL = 10 * SECOND;
/**
 * More puzzles than this make the bucket no fuller: `medium` then asks 121 times the work, and an hour and 40 minutes
 * later nothing more than usual. Without a limit a busy office behind one address locks itself out for days.
 */
const CLIENT_CAPACITY = 600;
/** What the usual rate is averaged over: slow enough that a rush does not become usual while it lasts. */
const USUAL_TIME = HOUR;
/** The property's bucket leaks twice its usual rate, and its fill counts in windows of usual traffic. */
const PROPERTY_LEAK_FACTOR = 2;
const PROPERTY_WINDOW = 5 * MINUTE;
/** A property that is hardly used is taken to be used this much, so that its first visitors are no rush. */
const MIN_USUAL_RATE = 1 / (3 * SECOND);

/**
 * @param capacity clients remembered at most; who was not seen for longest is forgotten first
 * @param propertyCapacity properties remembered at most
 */
export function createLoadMeter(capacity: number, propertyCapacity = capacity): LoadMeter {
  const steady = createMonotonicTime();
  const clients = new LRUCache<number, number>({ max: capacity });
  // By size and not by number: its room is not taken before it is needed.
  const properties = new LRUCache<Sitekey, PropertyLoad>({
    maxSize: propertyCapacity,
    sizeCalculation: () => 1,
  });

  /** A bucket with a constant leak is one number: when it will be empty. */
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
      const time = steady(now);
      return { clientFill: observeClient(client, time), propertyFill: observeProperty(sitekey, time) };
    },
    look(sitekey, now) {
      const load = properties.peek(sitekey);
      if (load === undefined) return { clientFill: 0, propertyFill: 0 };
      return { clientFill: 0, propertyFill: fillAt(load, steady(now)) / (load.usualRate * PROPERTY_WINDOW) };
    },
  };
}

/** What has not leaked out by now, in puzzles. */
function fillAt({ fill, at, usualRate }: PropertyLoad, now: Instant): number {
  return Math.max(0, fill - (now - at) * PROPERTY_LEAK_FACTOR * usualRate);
}

/**
 * The exponentially weighted rate of a point process: it decays with the time since the last event, and each
 * event adds 1 / USUAL_TIME, so that a steady rate is its own average.
 */
function usualRateAfter(rate: number, elapsed: number): number {
  return Math.max(MIN_USUAL_RATE, rate * Math.exp(-elapsed / USUAL_TIME) + 1 / USUAL_TIME);
}
