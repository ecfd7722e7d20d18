import { LRUCache } from 'lru-cache';
import { createTally } from '../lib/tally.ts';
import { createMonotonicTime, DAY, HOUR, type Instant, MINUTE, SECOND } from '../lib/time.ts';
import type { PropertyId } from '../model/property.ts';
import type { Share, SharedCounts } from '../model/sharedCounts.ts';
import { createClientLoad, decay } from './clientLoad.ts';
import { CLIENT_FREE, LEVELS_PER_DOUBLING, type Signals } from './difficulty.ts';

/** Measures the load that clients and properties cause. The state is in memory, bounded, and lost on a restart. */
export type LoadMeter = {
  /**
   * Returns the load of the client and the property, then adds one puzzle to each.
   *
   * @param client keyed hash of the client address; see toClient
   */
  readonly observe: (client: number, property: PropertyId, now: Instant) => Signals;
  /**
   * Records that a puzzle of the client was solved and verified for the first time.
   *
   * @param difficulty of the puzzle, on the scale of BLAKE2b
   */
  readonly verified: (client: number, difficulty: number, now: Instant) => void;
  /** Returns the signals for a new client, without adding a puzzle. */
  readonly peek: (property: PropertyId, now: Instant) => Signals;
};

/** Registers the counts that nodes exchange. The functions are undefined if there is only one node. */
export type ShareLoad = {
  readonly clients?: Share | undefined;
  readonly verified?: Share | undefined;
  readonly properties?: Share | undefined;
};

type PropertyLoad = {
  fill: number;
  at: Instant;
  /** Puzzles per millisecond, averaged over up to a week. */
  usualRate: number;
  /** When the property's first puzzle was counted. */
  readonly since: Instant;
};

/**
 * The usual rate is averaged over the time for which the property is known, within these limits. Long enough that an attack of hours does
 * not become usual, and that every hour of the week is a part of it.
 */
const USUAL_TIME = { min: HOUR, max: 7 * DAY };
/** A property's bucket leaks at four times the usual rate, because busy hours have two to three times the usual traffic. */
const PROPERTY_LEAK_FACTOR = 4;
/** Its fill is a multiple of the usual traffic in this window. */
const PROPERTY_WINDOW = 5 * MINUTE;
/** Maximum fill: it is empty 15 minutes after an attack. */
const PROPERTY_CAPACITY = 12;
/** Minimum usual rate, so that the first visitors of a rarely used property do not count as a surge. */
const MIN_USUAL_RATE = 1 / (6 * SECOND);

/**
 * A verified puzzle counts by its share of the work of this difficulty, the default level. The load of a client applies to all properties, so
 * puzzles of a property with a low level, which cost almost nothing, must not fill the bucket of verified puzzles of a shared address.
 */
const PAID_DIFFICULTY = 128;

/**
 * @param capacity maximum number of addresses and wide networks together
 * @param propertyCapacity maximum number of properties; the least recently used one is evicted
 */
export function createLoadMeter(
  capacity: number,
  propertyCapacity = capacity,
  share: ShareLoad = {},
): LoadMeter {
  const monotonic = createMonotonicTime();
  const clients = createClientLoad(capacity);
  // A cache with `maxSize` instead of `max` does not allocate its capacity in advance.
  const properties = new LRUCache<number, PropertyLoad>({
    maxSize: propertyCapacity,
    sizeCalculation: () => 1,
  });

  function loadOf(property: number, now: Instant): PropertyLoad {
    const known = properties.get(property);
    if (known !== undefined) return known;
    const load = { fill: 0, at: now, usualRate: MIN_USUAL_RATE, since: now };
    properties.set(property, load);
    return load;
  }

  const clientTally = share.clients && createTally(clients.rankOf);
  const verifiedTally = share.verified && createTally(clients.rankOf);
  const propertyTally = share.properties && createTally((_, puzzles) => puzzles);
  const register = (to: Share | undefined, take: SharedCounts['take'] | undefined, add: AddCount): void => {
    if (take === undefined) return;
    to?.({
      take,
      add(counts, now) {
        const time = monotonic(now);
        for (const [key, amount] of counts) add(key, amount, time);
      },
    });
  };
  register(share.clients, clientTally?.take, (client, puzzles, now) => clients.add(client, puzzles, 0, now));
  register(share.verified, verifiedTally?.take, clients.verify);
  register(share.properties, propertyTally?.take, (property, puzzles, now) =>
    addToProperty(loadOf(property, now), puzzles, now),
  );

  return {
    observe(client, property, now) {
      const time = monotonic(now);
      const load = loadOf(property, time);
      const propertyFill = signalAt(load, time);
      clients.add(client, 1, propertyFill / (1 + propertyFill), time);
      const { own, total } = clients.last;
      // A client that pays for its own excess adds less, so one client alone does not raise the cost of others.
      const puzzles = 1 / (1 + own / CLIENT_FREE);
      addToProperty(load, puzzles, time);
      clientTally?.add(client, 1);
      propertyTally?.add(property, puzzles);
      return { clientFill: total, propertyFill };
    },
    verified(client, difficulty, now) {
      const paid = Math.min(2 ** ((difficulty - PAID_DIFFICULTY) / LEVELS_PER_DOUBLING), 1);
      clients.verify(client, paid, monotonic(now));
      verifiedTally?.add(client, paid);
    },
    peek(property, now) {
      const load = properties.peek(property);
      return {
        clientFill: 0,
        propertyFill: load === undefined ? 0 : signalAt(load, monotonic(now)),
      };
    },
  };
}

function addToProperty(load: PropertyLoad, puzzles: number, now: Instant): void {
  const elapsed = now - load.at;
  const fill = fillAt(load, now) + puzzles;
  load.at = now;
  load.usualRate = usualRateAfter(load, elapsed, puzzles);
  load.fill = Math.min(fill, PROPERTY_CAPACITY * load.usualRate * PROPERTY_WINDOW);
}

type AddCount = (key: number, amount: number, now: Instant) => void;

/** @returns the current fill as a multiple of the usual traffic in the window */
function signalAt(load: PropertyLoad, now: Instant): number {
  return fillAt(load, now) / (load.usualRate * PROPERTY_WINDOW);
}

/** @returns the current fill in puzzles */
function fillAt({ fill, at, usualRate }: PropertyLoad, now: Instant): number {
  return Math.max(0, fill - (now - at) * PROPERTY_LEAK_FACTOR * usualRate);
}

/**
 * An exponentially weighted moving average of an event rate: it decays with the time since the last event, and each event adds
 * 1 / time, so that the average of a constant rate is that rate.
 */
function usualRateAfter({ usualRate, since, at }: PropertyLoad, elapsed: number, events: number): number {
  const time = Math.min(Math.max(at - since, USUAL_TIME.min), USUAL_TIME.max);
  return Math.max(MIN_USUAL_RATE, usualRate * decay(elapsed / time) + events / time);
}
