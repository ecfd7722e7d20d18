import { type Allocate, allocateOwn, openRegion, type Region } from '../lib/sharedMemory.ts';
import { createTally, type Tally } from '../lib/tally.ts';
import type { Instant } from '../lib/time.ts';
import type { PropertyId } from '../model/property.ts';
import type { Share } from '../model/sharedCounts.ts';
import { clientCellsFor, createClientLoad } from './clientLoad.ts';
import { CLIENT_FREE, LEVELS_PER_DOUBLING, type Signals } from './difficulty.ts';
import { createDowngradeLoad, downgradeCellsFor } from './downgradeLoad.ts';
import { createPropertyLoad, propertyCellsFor } from './propertyLoad.ts';

/** Measures the load that clients and properties cause. The state is in memory, bounded, and lost on a restart. */
export type LoadMeter = ReturnType<typeof createLoadMeter>;

export type LoadMeterOptions = {
  /** Allocates the tables, which threads may share. */
  readonly allocate?: Allocate;
  /** Register the counts that nodes exchange; undefined if there is only one node. */
  readonly clients?: Share | undefined;
  readonly verified?: Share | undefined;
  readonly properties?: Share | undefined;
  readonly downgraded?: Share | undefined;
};

/** The kind of work of a property that is not BLAKE2b. */
type NewerKind = {
  /** The version of puzzles that it needs. */
  readonly version: number;
  /** Whether the puzzle was downgraded to BLAKE2b. */
  readonly isDowngraded: boolean;
};

/**
 * A verified puzzle counts by its share of the work of this difficulty, the default level. The load of a client applies to all properties, so
 * puzzles of a property with a low level, which cost almost nothing, must not fill the bucket of verified puzzles of a shared address.
 */
const PAID_DIFFICULTY = 128;

/**
 * @param capacity maximum number of addresses and wide networks together
 * @param propertyCapacity maximum number of properties. Both are rounded up to eight times a power of two; 40 bytes each, and 56 bytes
 *   for the downgrades of a property
 */
export function createLoadMeter(
  capacity: number,
  propertyCapacity = capacity,
  { allocate = allocateOwn, ...share }: LoadMeterOptions = {},
) {
  const clientCells = clientCellsFor(capacity);
  const propertyEnd = clientCells + propertyCellsFor(propertyCapacity);
  const region = openRegion(allocate, propertyEnd + downgradeCellsFor(propertyCapacity));
  const { acquire, release, steady, cells } = region;
  const clients = createClientLoad(cells.subarray(0, clientCells));
  const properties = createPropertyLoad(cells.subarray(clientCells, propertyEnd));
  const downgrades = createDowngradeLoad(cells.subarray(propertyEnd));

  function rankOf(client: number): number {
    acquire();
    const rank = clients.rankOf(client);
    release();
    return rank;
  }

  const clientTally = share.clients && createTally(rankOf);
  const verifiedTally = share.verified && createTally(rankOf);
  const propertyTally = share.properties && createTally((_, puzzles) => puzzles);
  const downgradedTally = share.downgraded && createTally((_, puzzles) => puzzles);
  register(region, share.clients, clientTally, (client, puzzles, now) =>
    clients.add(client, puzzles, 0, now),
  );
  register(region, share.verified, verifiedTally, clients.verify);
  register(region, share.properties, propertyTally, (property, puzzles, now) => {
    properties.add(properties.row(property, now), puzzles, now);
    if (downgrades.has(property)) downgrades.add(property, puzzles, 0, now);
  });
  // The other count contains these puzzles, too.
  register(region, share.downgraded, downgradedTally, (property, puzzles, now) =>
    downgrades.add(property, 0, puzzles, now),
  );

  return {
    /**
     * Returns the load of the client and the property, then adds one puzzle to each.
     *
     * @param client keyed hash of the client address; see toClient
     * @param kind undefined if the property requires BLAKE2b
     */
    observe(client: number, property: PropertyId, now: Instant, kind?: NewerKind): Signals {
      acquire();
      const time = steady(now);
      const row = properties.row(property, time);
      const propertyFill = properties.signal(row, time);
      clients.add(client, 1, propertyFill / (1 + propertyFill), time);
      const { own, total } = clients.last;
      // A client that pays for its own excess adds less, so one client alone does not raise the cost of others.
      const puzzles = 1 / (1 + own / CLIENT_FREE);
      properties.add(row, puzzles, time);
      const downgraded = kind?.isDowngraded ? puzzles : 0;
      const excess = kind ? downgrades.add(property, puzzles, downgraded, time, kind.version) : 0;
      release();
      clientTally?.add(client, 1);
      propertyTally?.add(property, puzzles);
      if (kind?.isDowngraded) downgradedTally?.add(property, puzzles);
      const signals = { clientFill: total, propertyFill };
      return kind?.isDowngraded ? { ...signals, downgradeExcess: excess } : signals;
    },
    /**
     * Records that a puzzle of the client was solved and verified for the first time.
     *
     * @param difficulty of the puzzle, on the scale of BLAKE2b
     */
    verified(client: number, difficulty: number, now: Instant): void {
      const paid = Math.min(2 ** ((difficulty - PAID_DIFFICULTY) / LEVELS_PER_DOUBLING), 1);
      acquire();
      clients.verify(client, paid, steady(now));
      release();
      verifiedTally?.add(client, paid);
    },
    /** Returns the signals for a new client, without adding a puzzle. */
    peek(property: PropertyId, now: Instant): Signals {
      acquire();
      const propertyFill = properties.signal(properties.peek(property), steady(now));
      release();
      return { clientFill: 0, propertyFill };
    },
  };
}

type AddCount = (key: number, amount: number, now: Instant) => unknown;

/** Holds the lock for each count, and not for all of them, so that requests do not wait. */
function register(
  { acquire, release, steady }: Region,
  share: Share | undefined,
  tally: Tally | undefined,
  addCount: AddCount,
): void {
  if (tally === undefined) return;
  share?.({
    ...tally,
    add(counts, now) {
      for (const [key, amount] of counts) {
        acquire();
        addCount(key, amount, steady(now));
        release();
      }
    },
  });
}
