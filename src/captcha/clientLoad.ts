import { cellsFor, createFlatTable } from '../lib/flatTable.ts';
import { HOUR, type Instant, MINUTE } from '../lib/time.ts';

type MeasuredLoad = {
  /** Without the influence of the property. */
  own: number;
  /** With the influence of the property. */
  total: number;
};

/**
 * A client is a number of 52 bits: the upper half identifies the wide network, and the lower half the address in it. So every part of the
 * server that knows the client also knows its wide network.
 */
const HALF = 2 ** 26;
/** Distinguishes wide networks from clients in the same table. */
const FIRST_WIDE = 2 ** 52;

/** The highest bit of the upper half: whether the wide network is an IPv6 network. */
const IPV6 = 2 ** 25;

/**
 * @param network 25 bits that identify the wide network
 * @param address 26 bits that identify the address in the network; of both numbers, only the low bits are used
 */
export function toClient(network: number, address: number, isIpv6 = false): number {
  const upper = (network & (IPV6 - 1)) + (isIpv6 ? IPV6 : 0);
  return upper * HALF + (address & (HALF - 1));
}

/**
 * A puzzle of an address counts as this many puzzles of its wide network. So a /24 counts as four clients, because carriers have whole /24
 * networks of shared addresses, and a /48 as two, because it usually belongs to one customer.
 */
const WIDE_SHARE = { ipv4: 0.25, ipv6: 0.5 };

/** The time in which both buckets also decay by a factor of e: a load that is slightly above the leak settles instead of growing for hours. */
const DECAY = 15 * MINUTE;
/** The recent puzzles have a mean age of an hour, four times DECAY, so that one exponential is enough for both. */
const RECENT = HOUR;
/** Leaks: six open puzzles per minute, and twelve verified ones, never raise the difficulty. */
const OPEN_LEAK = 6 / MINUTE;
const VERIFIED_LEAK = 12 / MINUTE;
/** Maximum of open puzzles: 25 times the work on `medium`. Requests cost nothing, and neighbors behind the same address pay, too. */
const MAX_OPEN = 120;
/** Maximum of verified puzzles: 121 times the work on `medium`. An abuser who raises it pays as much as the neighbors do. */
const MAX_VERIFIED = 600;
/** In a surge, recent puzzles above the first number count as open, up to the second: 13 times the work on `medium`. */
const RECENT_FREE = 5;
const MAX_RECENT = 60;

/** The cells of a row. */
const COLUMN = {
  /** When the row was updated. */
  at: 0,
  /** Puzzles that were not verified. */
  open: 1,
  /** Puzzles that were verified. */
  verified: 2,
  /** All puzzles in about an hour. */
  recent: 3,
} as const;
const COLUMNS = 4;

/** One recent puzzle protects a row for this long: a flood of networks with one puzzle each replaces itself, and not the busy ones. */
const PUZZLE_AGE_MS = MINUTE;

/** @param capacity see createClientLoad @returns the number of cells that its table needs */
export function clientCellsFor(capacity: number): number {
  return cellsFor(capacity, COLUMNS);
}

/**
 * Measures the load of networks: single addresses (IPv6: /64), and the wide networks around them (IPv4: /24, IPv6: /48). All units are
 * puzzles. docs/explanation/difficulty.md has the reason for each constant.
 *
 * A new network in a full set of eight replaces the one that was updated the longest ago; each recent puzzle of a network counts as if
 * it had been updated a minute later.
 *
 * @param cells as many as clientCellsFor returns, for the maximum number of addresses and wide networks; 40 bytes each. Threads that share
 *   them call all functions with the same lock.
 */
export function createClientLoad(cells: Float64Array) {
  const table = createFlatTable({
    cells,
    columns: COLUMNS,
    rankOf: (row) =>
      (cells[row + COLUMN.at] as number) + PUZZLE_AGE_MS * (cells[row + COLUMN.recent] as number),
  });
  const last: MeasuredLoad = { own: 0, total: 0 };

  /** Finds a row and lets its buckets leak until now. */
  function update(row: number, now: Instant): void {
    const elapsed = now - (cells[row + COLUMN.at] as number);
    if (elapsed <= 0) return;
    const recentLeft = decay(elapsed / RECENT);
    const half = recentLeft * recentLeft;
    const left = half * half;
    cells[row + COLUMN.at] = now;
    cells[row + COLUMN.recent] = (cells[row + COLUMN.recent] as number) * recentLeft;
    const open = cells[row + COLUMN.open] as number;
    if (open > 0) cells[row + COLUMN.open] = leaked(open, left, OPEN_LEAK * DECAY);
    const verified = cells[row + COLUMN.verified] as number;
    if (verified > 0) cells[row + COLUMN.verified] = leaked(verified, left, VERIFIED_LEAK * DECAY);
  }

  /** Adds puzzles to a row, and measures it before. */
  function addTo(row: number, puzzles: number, surge: number): void {
    const open = cells[row + COLUMN.open] as number;
    const verified = cells[row + COLUMN.verified] as number;
    const recent = cells[row + COLUMN.recent] as number;
    const returning = surge * Math.min(Math.max(recent - RECENT_FREE, 0), MAX_RECENT);
    last.own = Math.max(last.own, open + verified);
    last.total = Math.max(last.total, Math.min(open + returning, MAX_OPEN) + verified);
    cells[row + COLUMN.open] = Math.min(open + puzzles, MAX_OPEN);
    cells[row + COLUMN.recent] = recent + puzzles;
  }

  function rowOf(network: number, now: Instant): number {
    const row = table.row(network);
    if (cells[row + COLUMN.at] === 0) cells[row + COLUMN.at] = now;
    else update(row, now);
    return row;
  }

  function verifyIn(network: number, puzzles: number, now: Instant): void {
    const row = table.peek(network);
    if (row < 0) return;
    update(row, now);
    cells[row + COLUMN.open] = Math.max((cells[row + COLUMN.open] as number) - puzzles, 0);
    const verified = (cells[row + COLUMN.verified] as number) + puzzles;
    cells[row + COLUMN.verified] = Math.min(verified, MAX_VERIFIED);
  }

  return {
    /** The load before the last call of `add`. */
    last,
    /**
     * Adds puzzles of a client, after it has measured the load.
     *
     * @param surge whether the property is under attack or very popular: 0 (no) to 1
     */
    add(client: number, puzzles: number, surge: number, now: Instant): void {
      last.own = 0;
      last.total = 0;
      addTo(rowOf(client, now), puzzles, surge);
      // Many people share a wide network, and they come at the same time in a surge, so it does not count there.
      const wide = wideOf(client);
      addTo(rowOf(wide, now), puzzles * shareIn(wide), 0);
    },
    /** Moves open puzzles of a client to the verified ones. Has no effect on clients that are not in memory. */
    verify(client: number, puzzles: number, now: Instant): void {
      verifyIn(client, puzzles, now);
      const wide = wideOf(client);
      verifyIn(wide, puzzles * shareIn(wide), now);
    },
    /** A number that rises with the load of a client; 0 if it is not in memory. */
    rankOf(client: number): number {
      const row = table.peek(client);
      return row < 0 ? 0 : (cells[row + COLUMN.open] as number) + (cells[row + COLUMN.verified] as number);
    },
  };
}

/** @returns e to the power of -x; a line is exact enough for x below a thousandth, and faster */
export function decay(x: number): number {
  return x < 0.001 ? 1 - x : Math.exp(-x);
}

function wideOf(client: number): number {
  return FIRST_WIDE + Math.floor(client / HALF);
}

function shareIn(wide: number): number {
  return wide >= FIRST_WIDE + IPV6 ? WIDE_SHARE.ipv6 : WIDE_SHARE.ipv4;
}

/** A bucket that leaks at a constant rate and decays: the solution of fill' = -(constant + fill) / DECAY. @param left share that decay leaves */
function leaked(fill: number, left: number, constant: number): number {
  const rest = (fill + constant) * left - constant;
  return Math.max(rest, 0);
}
