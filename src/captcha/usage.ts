import type { Instant } from '../lib/time.ts';
import type { Property, PropertyId, Sitekey } from '../model/property.ts';
import { bucketOf, COUNTER, COUNTS_SIZE, type Hour, hourOf, type UsageRecord } from '../model/statistics.ts';
import type { Metadata } from '../puzzle/solution.ts';
import { VERDICT_CODES, type Verdict } from './verdict.ts';

/** Of whom something is counted: a property, as far as it is known; nothing of it where not even its sitekey is. */
export type Counted = { readonly sitekey?: Sitekey | undefined; readonly id?: PropertyId | undefined };

/** What the hot path tells when something happened. */
export type Count = {
  readonly issued: (property: Pick<Property, 'sitekey' | 'id'>, now: Instant) => void;
  /**
   * @param of the property of the puzzle, where its signature held
   * @param metadata what the widget says of itself; counts only for what is accepted the first time
   */
  readonly judged: (verdict: Verdict, of: Counted, metadata?: Metadata) => void;
};

/** Counts in memory, by property and hour, until somebody writes it down. */
export type Usage = Count & {
  /**
   * Hands out all that was counted before this call, some records at a time; what `write` has taken is forgotten, and
   * what it did not is handed out again by the next call. One call at a time.
   *
   * @throws what `write` throws
   */
  readonly flush: (write: (records: readonly UsageRecord[]) => Promise<void>) => Promise<void>;
  /** Events that were counted and not written yet. */
  readonly pending: () => number;
  /** Events that found no room since this was last asked. */
  readonly takeLost: () => number;
};

/** Places that are made at first; there are twice as many whenever they run out. */
const FIRST_ROOM = 64;
/** Of so many records one in this many may have solve times, which take six times the room of all else. */
const TIMED_SHARE = 4;
/** Numbers of a record without and of its solve times. */
const [PLAIN_SIZE, TIMES_SIZE] = [COUNTER.solved, COUNTS_SIZE - COUNTER.solved];
/** Records that are written in one transaction: 0.4 to 0.7 ms of it. */
const PORTION = 128;
/** More than there are places: an order is kept as the property's number times this, and the place. */
const PLACES = 2 ** 20;

/** Of whom nothing is known. */
export const NOBODY: Counted = {};

/**
 * Two tallies of `capacity` records each: one counts, the other is being written. Where the first is full it becomes the
 * second at once, and `onFull` is told; where the second is still not written, for the database fails, events that need
 * room are lost, and it is counted how many.
 *
 * On the hot path nothing is allocated but, once in a flush and hour, a property's place.
 *
 * @param capacity records, up to 2^20, of 80 bytes each; a quarter of them may have solve times, of 516 bytes each
 */
export function createUsage(capacity: number, onFull: () => void): Usage {
  let active = createTally(capacity);
  let retired = createTally(capacity);
  let lost = 0;

  function swap(): void {
    [active, retired] = [retired, active];
  }

  /** @returns the record's place in `active`; -1 where there is no room */
  function placeOf(of: Counted, now: Instant, isTimed: boolean): number {
    const hour = hourOf(now);
    let place = active.placeOf(of, hour, isTimed);
    if (place < 0 && retired.isEmpty()) {
      swap();
      onFull();
      place = active.placeOf(of, hour, isTimed);
    }
    if (place < 0) lost++;
    else active.events++;
    return place;
  }

  /** What is left of the second tally. */
  async function writeRetired(write: (records: readonly UsageRecord[]) => Promise<void>): Promise<void> {
    while (!retired.isEmpty()) {
      await write(retired.first(PORTION));
      retired.drop(PORTION);
    }
  }

  function accepted(of: Counted, now: Instant, metadata: Metadata | undefined): void {
    const place = placeOf(of, now, metadata !== undefined);
    if (place < 0) return;
    active.add(place, COUNTER.verified);
    if (metadata === undefined) return;
    active.addTime(place, bucketOf(metadata.elapsedMs));
    if (metadata.usedWasm) active.add(place, COUNTER.usedWasm);
  }

  return {
    issued(property, now) {
      const place = placeOf(property, now, false);
      if (place >= 0) active.add(place, COUNTER.issued);
    },
    judged({ name, success, verifiedAt }, of, metadata) {
      // The test property is nobody's.
      if (name === 'property-test') return;
      const isRepeat = name === 'solution-verified-before';
      if (success && !isRepeat) return accepted(of, verifiedAt, metadata);
      const place = placeOf(of, verifiedAt, false);
      if (place >= 0) active.add(place, success ? COUNTER.repeated : COUNTER.failed + VERDICT_CODES[name]);
    },
    async flush(write) {
      await writeRetired(write);
      if (retired.isEmpty()) swap();
      await writeRetired(write);
    },
    pending: () => active.events + retired.events,
    takeLost() {
      const taken = lost;
      lost = 0;
      return taken;
    },
  };
}

/** Rows of numbers side by side in one array: a garbage collection has nothing to walk. Its room stays when it is cleared. */
function createRows(width: number, capacity: number) {
  let numbers = new Uint32Array(Math.min(capacity, FIRST_ROOM) * width);
  let length = 0;
  return {
    hasRoom: () => length < capacity,
    open(): number {
      if (length * width === numbers.length) {
        const larger = new Uint32Array(Math.min(2 * numbers.length, capacity * width));
        larger.set(numbers);
        numbers = larger;
      }
      return length++;
    },
    add(row: number, column: number): void {
      const at = row * width + column;
      numbers[at] = (numbers[at] as number) + 1;
    },
    copyTo(target: Uint32Array, row: number, at: number): void {
      target.set(numbers.subarray(row * width, (row + 1) * width), at);
    },
    clear(): void {
      numbers.fill(0, 0, length * width);
      length = 0;
    },
  };
}

function createTally(capacity: number) {
  const plain = createRows(PLAIN_SIZE, capacity);
  const times = createRows(TIMES_SIZE, Math.ceil(capacity / TIMED_SHARE));
  const counted: Counted[] = [];
  const hours: Hour[] = [];
  /** Which row of `times` a record has; -1 for none. */
  const timesOf: number[] = [];
  /** Of the hour that is being counted, and of the one counted before it: around a full hour the two come in turns. */
  let places = new Map<Sitekey | undefined, number>();
  let placesBefore = new Map<Sitekey | undefined, number>();
  let current: Hour | undefined;
  let before: Hour | undefined;

  function turnTo(hour: Hour): void {
    [places, placesBefore] = [placesBefore, places];
    if (hour !== before) places.clear();
    before = current;
    current = hour;
  }
  /** The places, in the order of their properties, once writing has begun. */
  let order: Float64Array | undefined;
  let dropped = 0;

  function open({ sitekey, id }: Counted, hour: Hour): number {
    if (!plain.hasRoom()) return -1;
    const place = plain.open();
    // Of the property itself nothing is held: it may be forgotten elsewhere meanwhile.
    counted.push(sitekey === undefined ? NOBODY : { sitekey, id });
    hours.push(hour);
    timesOf.push(-1);
    places.set(sitekey, place);
    return place;
  }

  function recordAt(place: number): UsageRecord {
    const counts = new Uint32Array(COUNTS_SIZE);
    plain.copyTo(counts, place, 0);
    const row = timesOf[place] as number;
    if (row >= 0) times.copyTo(counts, row, COUNTER.solved);
    return { sitekey: counted[place]?.sitekey, hour: hours[place] as Hour, counts };
  }

  function clear(): void {
    for (const rows of [plain, times]) rows.clear();
    for (const list of [counted, hours, timesOf]) list.length = 0;
    for (const known of [places, placesBefore]) known.clear();
    order = undefined;
    dropped = 0;
    tally.events = 0;
  }

  const tally = {
    events: 0,
    isEmpty: () => hours.length === 0,
    placeOf(of: Counted, hour: Hour, isTimed: boolean): number {
      if (hour !== current) turnTo(hour);
      const known = places.get(of.sitekey);
      const needsTimes = isTimed && (known === undefined || (timesOf[known] as number) < 0);
      if (needsTimes && !times.hasRoom()) return -1;
      const place = known ?? open(of, hour);
      if (needsTimes && place >= 0) timesOf[place] = times.open();
      return place;
    },
    add: plain.add,
    addTime(place: number, bucket: number): void {
      times.add(timesOf[place] as number, bucket);
    },
    /**
     * The next records that were not dropped, in the order of their properties' numbers. In no order each transaction
     * would write most pages of the hour: 1.3 to 3 times the work with 20,000 properties.
     */
    first(count: number): readonly UsageRecord[] {
      order ??= Float64Array.from(counted, ({ id = 0 }, place) => id * PLACES + place).sort();
      return Array.from(order.subarray(dropped, dropped + count), (one) => recordAt(one % PLACES));
    },
    drop(count: number): void {
      dropped += count;
      if (dropped >= hours.length) clear();
    },
  };
  return tally;
}
