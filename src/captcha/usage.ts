import type { Instant } from '../lib/time.ts';
import type { ApiKeyId } from '../model/apiKey.ts';
import type { OrganizationId } from '../model/organization.ts';
import type { Property, PropertyId, Sitekey } from '../model/property.ts';
import {
  COUNTER,
  COUNTS_SIZE,
  type Counts,
  countSolveTimes,
  type Hour,
  KEY_COUNTER,
  type KeyOutcome,
  toBucket,
  toHour,
  type UsageRecord,
} from '../model/statistics.ts';
import type { Metadata } from '../puzzle/solution.ts';
import { VERDICT_CODES, type Verdict } from './verdict.ts';

/** The property that an event is counted for, as far as it is known. */
export type CountedProperty = {
  readonly sitekey?: Sitekey | undefined;
  readonly id?: PropertyId | undefined;
  readonly organizationId?: OrganizationId | undefined;
  /** The `settingsCode` of the property. */
  readonly settings?: number | undefined;
};

/** A property, or an API key. */
type Counted = CountedProperty & { readonly key?: ApiKeyId | undefined };

/** Identifies what is counted: sitekeys are texts, and ids of keys are numbers. */
const nameOf = ({ key, sitekey }: Counted): ApiKeyId | Sitekey | undefined => key ?? sitekey;

/** The event is counted for the installation only. */
export const UNKNOWN_PROPERTY: CountedProperty = {};

/** Counts the events of the hot path. */
export type UsageCounter = {
  /** @param isDowngraded whether it is BLAKE2b only because the client announced an older version */
  readonly countPuzzle: (
    property: Pick<Property, 'sitekey' | 'id'>,
    now: Instant,
    isDowngraded?: boolean | undefined,
  ) => void;
  /**
   * @param property the puzzle's property if its signature is valid
   * @param metadata reported by the widget; counted only for first verifications that succeed
   */
  readonly countVerdict: (verdict: Verdict, property: CountedProperty, metadata?: Metadata) => void;
};

/** Counts a request with an API key, when its outcome is known. */
export type CountKey = (key: ApiKeyId, outcome: KeyOutcome, now: Instant) => void;

/** Counts in memory, per property or API key, and hour. */
export type Usage = UsageCounter & {
  readonly countKey: CountKey;
  /**
   * Writes everything that was counted before the call, in batches. Records are dropped after `write` resolves; if it rejects,
   * the next call writes them again. Do not call it while a call is running.
   *
   * @throws whatever `write` throws
   */
  readonly flush: (write: (records: readonly UsageRecord[]) => Promise<void>) => Promise<void>;
  /** Adds what another thread has counted. */
  readonly merge: (records: readonly UsageRecord[]) => void;
  /** Adds to the number of lost events. */
  readonly addLost: (events: number) => void;
  /** @returns the number of events that are not written yet */
  readonly pending: () => number;
  /** @returns the number of events lost for lack of space since the last call */
  readonly takeLost: () => number;
};

/** Initial number of rows; it doubles whenever they run out. */
const INITIAL_ROWS = 64;
/** One of this many records can have solve times, which take six times the space of the other counters. */
const TIMED_SHARE = 4;
/** Counters of a record without its solve times, and solve times of a record. */
const [PLAIN_SIZE, TIMES_SIZE] = [COUNTER.solved, COUNTS_SIZE - COUNTER.solved];
/** Records per transaction: 0.4 to 0.7 ms of work. */
const BATCH_SIZE = 128;
/** Maximum number of rows. A sort key is a property's id times this, plus the row. */
const MAX_ROWS = 2 ** 20;

/**
 * Double buffering: one buffer counts while the other is written. When the active buffer is full, the buffers are swapped
 * immediately and `onFull` is called. If the other buffer is not written yet (the database fails), events that need a new
 * row are lost, and their number is counted.
 *
 * The hot path allocates only one row per property, flush, and hour.
 *
 * @param capacity records per buffer, at most 2^20, of 80 bytes each; a quarter of them may have solve times of 520 bytes each
 */
export function createUsage(capacity: number, onFull: () => void): Usage {
  let active = createBuffer(capacity);
  let retired = createBuffer(capacity);
  let lost = 0;

  function swap(): void {
    [active, retired] = [retired, active];
  }

  /** @returns the record's row in `active`; -1 if there is no space */
  function rowFor(property: Counted, hour: Hour, isTimed: boolean, events = 1): number {
    let row = active.rowFor(property, hour, isTimed);
    if (row < 0 && retired.isEmpty()) {
      swap();
      onFull();
      row = active.rowFor(property, hour, isTimed);
    }
    if (row < 0) lost += events;
    else active.events += events;
    return row;
  }

  async function writeRetired(write: (records: readonly UsageRecord[]) => Promise<void>): Promise<void> {
    while (!retired.isEmpty()) {
      await write(retired.first(BATCH_SIZE));
      retired.drop(BATCH_SIZE);
    }
  }

  function countSuccess(property: CountedProperty, now: Instant, metadata: Metadata | undefined): void {
    const row = rowFor(property, toHour(now), metadata !== undefined);
    if (row < 0) return;
    active.add(row, COUNTER.verified);
    if (metadata === undefined) return;
    active.addTimed(row, toBucket(metadata.elapsedMs));
    active.addTimed(row, COUNTER.settings - COUNTER.solved, property.settings ?? 0);
    if (metadata.usedWasm) active.add(row, COUNTER.usedWasm);
  }

  function addAll(row: number, counts: Counts, isTimed: boolean): void {
    for (let at = 0; at < Math.min(PLAIN_SIZE, counts.length); at++) active.add(row, at, counts[at]);
    if (!isTimed) return;
    for (let at = PLAIN_SIZE; at < counts.length; at++) active.addTimed(row, at - PLAIN_SIZE, counts[at]);
  }

  return {
    countPuzzle(property, now) {
      const row = rowFor(property, toHour(now), false);
      if (row >= 0) active.add(row, COUNTER.issued);
    },
    countVerdict({ name, success, verifiedAt }, property, metadata) {
      // The test property has no statistics.
      if (name === 'property-test') return;
      const isRepeat = name === 'solution-verified-before';
      if (success && !isRepeat) return countSuccess(property, verifiedAt, metadata);
      const row = rowFor(property, toHour(verifiedAt), false);
      if (row >= 0) active.add(row, success ? COUNTER.repeated : COUNTER.failed + VERDICT_CODES[name]);
    },
    countKey(key, outcome, now) {
      const row = rowFor({ key }, toHour(now), false);
      if (row >= 0) active.add(row, KEY_COUNTER[outcome]);
    },
    async flush(write) {
      await writeRetired(write);
      if (retired.isEmpty()) swap();
      await writeRetired(write);
    },
    merge(records) {
      for (const record of records) {
        const { counts } = record;
        const isTimed = countSolveTimes(counts) > 0;
        const row = rowFor(record, record.hour, isTimed, countEvents(counts));
        if (row >= 0) addAll(row, counts, isTimed);
      }
    },
    addLost(events) {
      lost += events;
    },
    pending: () => active.events + retired.events,
    takeLost() {
      const taken = lost;
      lost = 0;
      return taken;
    },
  };
}

/** Each event increments one of these counts, and may increment others. */
function countEvents(counts: Counts): number {
  let events = 0;
  for (let at = 0; at < Math.min(COUNTER.solved, counts.length); at++) {
    if (at !== COUNTER.usedWasm) events += counts[at] as number;
  }
  return events;
}

/** Rows of counters in one array, which costs the garbage collector nothing. Clearing it does not free its memory. */
function createRows(width: number, capacity: number) {
  let counters = new Uint32Array(Math.min(capacity, INITIAL_ROWS) * width);
  let length = 0;
  return {
    hasSpace: () => length < capacity,
    open(): number {
      if (length * width === counters.length) {
        const larger = new Uint32Array(Math.min(2 * counters.length, capacity * width));
        larger.set(counters);
        counters = larger;
      }
      return length++;
    },
    add(row: number, column: number, count = 1): void {
      const at = row * width + column;
      counters[at] = (counters[at] as number) + count;
    },
    /** @param least minimum length of the result @returns the counters of a row, without trailing zeros after this length */
    read(row: number, least = 0): number[] {
      const start = row * width;
      let end = start + width;
      while (end > start + least && counters[end - 1] === 0) end--;
      const values: number[] = [];
      for (let at = start; at < end; at++) values.push(counters[at] as number);
      return values;
    },
    clear(): void {
      counters.fill(0, 0, length * width);
      length = 0;
    },
  };
}

function createBuffer(capacity: number) {
  const plain = createRows(PLAIN_SIZE, capacity);
  const times = createRows(TIMES_SIZE, Math.ceil(capacity / TIMED_SHARE));
  const properties: Counted[] = [];
  const hours: Hour[] = [];
  /** The row of each record in `times`; -1 for none. */
  const timesRows: number[] = [];
  /** Rows of the current hour and of the one counted before it: around the full hour, events of both alternate. */
  let rows = new Map<ReturnType<typeof nameOf>, number>();
  let previousRows = new Map<ReturnType<typeof nameOf>, number>();
  let current: Hour | undefined;
  let previous: Hour | undefined;

  function switchTo(hour: Hour): void {
    [rows, previousRows] = [previousRows, rows];
    if (hour !== previous) rows.clear();
    previous = current;
    current = hour;
  }
  /** Sort keys of all records, after writing has begun. */
  let order: Float64Array | undefined;
  let dropped = 0;

  function open({ sitekey, id, key }: Counted, hour: Hour): number {
    if (!plain.hasSpace()) return -1;
    const row = plain.open();
    // Without a reference to the property itself, which can be garbage-collected after the cache evicts it.
    properties.push(key !== undefined ? { key } : sitekey === undefined ? UNKNOWN_PROPERTY : { sitekey, id });
    hours.push(hour);
    timesRows.push(-1);
    rows.set(key ?? sitekey, row);
    return row;
  }

  function recordAt(row: number): UsageRecord {
    const { sitekey, id, key } = properties[row] as Counted;
    const timesRow = timesRows[row] as number;
    // An array without trailing zeros, because another thread writes the record: structured cloning copies a typed array slowly.
    const counts = timesRow < 0 ? plain.read(row) : [...plain.read(row, PLAIN_SIZE), ...times.read(timesRow)];
    const hour = hours[row] as Hour;
    return key === undefined ? { sitekey, id, hour, counts } : { sitekey, key, hour, counts };
  }

  function clear(): void {
    for (const table of [plain, times]) table.clear();
    for (const list of [properties, hours, timesRows]) list.length = 0;
    for (const known of [rows, previousRows]) known.clear();
    order = undefined;
    dropped = 0;
    buffer.events = 0;
  }

  const buffer = {
    events: 0,
    isEmpty: () => hours.length === 0,
    rowFor(property: Counted, hour: Hour, isTimed: boolean): number {
      if (hour !== current) switchTo(hour);
      const known = rows.get(nameOf(property));
      const needsTimes = isTimed && (known === undefined || (timesRows[known] as number) < 0);
      if (needsTimes && !times.hasSpace()) return -1;
      const row = known ?? open(property, hour);
      if (needsTimes && row >= 0) timesRows[row] = times.open();
      return row;
    },
    add: plain.add,
    addTimed(row: number, column: number, count?: number): void {
      times.add(timesRows[row] as number, column, count);
    },
    /**
     * The next records that were not dropped, sorted by property id. Unsorted, each transaction would write most pages of
     * the hour: 1.3 to 3 times the work with 20,000 properties.
     */
    first(count: number): readonly UsageRecord[] {
      order ??= Float64Array.from(properties, ({ id = 0 }, row) => id * MAX_ROWS + row).sort();
      return Array.from(order.subarray(dropped, dropped + count), (key) => recordAt(key % MAX_ROWS));
    },
    drop(count: number): void {
      dropped += count;
      if (dropped >= hours.length) clear();
    },
  };
  return buffer;
}
