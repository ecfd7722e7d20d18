import type { Instant } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import { bucketOf, COUNTER, COUNTS_SIZE, type Hour, hourOf, type UsageRecord } from '../model/statistics.ts';
import type { Metadata } from '../puzzle/solution.ts';
import { VERDICT_CODES, type Verdict } from './verdict.ts';

/** What the hot path tells when something happened. */
export type Count = {
  readonly issued: (sitekey: Sitekey, now: Instant) => void;
  /**
   * @param sitekey that of the puzzle, where its signature held
   * @param metadata what the widget says of itself; counts only for what is accepted the first time
   */
  readonly judged: (verdict: Verdict, sitekey?: Sitekey, metadata?: Metadata) => void;
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

/** Records of a property and hour at first; room for more is made when it is needed. */
const FIRST_ROOM = 64;
/** Records that are written in one transaction: about two milliseconds of it. */
const PORTION = 128;

/**
 * Two tallies of `capacity` records each: one counts, the other is being written. Where the first is full it becomes the
 * second at once, and `onFull` is told; where the second is still not written, for the database fails, events of
 * properties that have no record yet are lost, and it is counted how many.
 *
 * On the hot path nothing is allocated but, once in a flush and hour, a property's place.
 *
 * @param capacity records, of 596 bytes each
 */
export function createUsage(capacity: number, onFull: () => void): Usage {
  let active = createTally(capacity);
  let retired = createTally(capacity);
  let lost = 0;

  function swap(): void {
    [active, retired] = [retired, active];
  }

  /** @returns where the record's numbers begin in `active`; -1 where there is no room */
  function placeOf(sitekey: Sitekey | undefined, now: Instant): number {
    const hour = hourOf(now);
    let place = active.placeOf(sitekey, hour);
    if (place < 0 && retired.isEmpty()) {
      swap();
      onFull();
      place = active.placeOf(sitekey, hour);
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

  return {
    issued(sitekey, now) {
      const place = placeOf(sitekey, now);
      if (place >= 0) active.add(place + COUNTER.issued);
    },
    judged(verdict, sitekey, metadata) {
      // The test property is nobody's.
      if (verdict.name === 'property-test') return;
      const place = placeOf(sitekey, verdict.verifiedAt);
      if (place < 0) return;
      if (!verdict.success) return active.add(place + COUNTER.failed + VERDICT_CODES[verdict.name]);
      if (verdict.name === 'solution-verified-before') return active.add(place + COUNTER.repeated);
      active.add(place + COUNTER.verified);
      if (metadata === undefined) return;
      active.add(place + COUNTER.solved + bucketOf(metadata.elapsedMs));
      if (metadata.usedWasm) active.add(place + COUNTER.usedWasm);
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

/** Records side by side in one array of numbers: a garbage collection has nothing to walk. */
function createTally(capacity: number) {
  let counts = new Uint32Array(Math.min(capacity, FIRST_ROOM) * COUNTS_SIZE);
  const sitekeys: (Sitekey | undefined)[] = [];
  const hours: Hour[] = [];
  /** Of the hour that is being counted. */
  const places = new Map<Sitekey | undefined, number>();
  let current: Hour | undefined;
  let dropped = 0;

  function open(sitekey: Sitekey | undefined, hour: Hour): number {
    if (sitekeys.length === capacity) return -1;
    const place = sitekeys.length * COUNTS_SIZE;
    if (place === counts.length) {
      const larger = new Uint32Array(Math.min(2 * place, capacity * COUNTS_SIZE));
      larger.set(counts);
      counts = larger;
    }
    sitekeys.push(sitekey);
    hours.push(hour);
    places.set(sitekey, place);
    return place;
  }

  function clear(): void {
    counts.fill(0, 0, sitekeys.length * COUNTS_SIZE);
    sitekeys.length = 0;
    hours.length = 0;
    places.clear();
    dropped = 0;
    tally.events = 0;
  }

  const tally = {
    events: 0,
    isEmpty: () => sitekeys.length === 0,
    placeOf(sitekey: Sitekey | undefined, hour: Hour): number {
      if (hour !== current) {
        places.clear();
        current = hour;
      }
      return places.get(sitekey) ?? open(sitekey, hour);
    },
    add(position: number): void {
      counts[position] = (counts[position] as number) + 1;
    },
    /** The oldest records that were not dropped yet. */
    first(count: number): readonly UsageRecord[] {
      return hours.slice(dropped, dropped + count).map((hour, index) => {
        const place = (dropped + index) * COUNTS_SIZE;
        return {
          sitekey: sitekeys[dropped + index],
          hour,
          counts: counts.subarray(place, place + COUNTS_SIZE),
        };
      });
    },
    drop(count: number): void {
      dropped += count;
      if (dropped >= sitekeys.length) clear();
    },
  };
  return tally;
}
