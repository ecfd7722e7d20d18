import { countFrequent, type FrequentItem, mergeFrequent } from '../../lib/frequentItems.ts';
import { DAY, type Instant, later } from '../../lib/time.ts';
import type { OrganizationId } from '../../model/organization.ts';
import type { PropertyId } from '../../model/property.ts';
import {
  DIMENSION_NAMES,
  DIMENSIONS,
  type Dimension,
  type RecentTraffic,
  TRAFFIC_RANGE_NAMES,
  TRAFFIC_RANGES,
  type TrafficEvent,
  type TrafficRange,
  type TrafficScope,
} from '../../model/traffic.ts';

/**
 * Keeps the newest rejections and counts frequent values, in the memory of this process only. Adding an event takes 1 to 5 µs, and about 19
 * µs while each event evicts a property.
 */
export type TrafficMemory = {
  readonly add: (event: TrafficEvent) => void;
  /** Forgets what is older than the ranges, and rejections that are older than a day. */
  readonly expire: (now: Instant) => void;
  readonly read: (scope: TrafficScope, range: TrafficRange, now: Instant) => RecentTraffic;
  /** What the limits are compared with. */
  readonly size: () => { readonly properties: number; readonly records: number };
};

/** Rejections of a property or an organization. */
const REJECTIONS = 200;
/** Counters of one kind of values, step, and range. */
const COUNTERS = 64;
/** Frequent values in a report. */
const LISTED = 20;
/** Maximum number of properties with records. */
const PROPERTIES = 1000;
/** Maximum number of rejections and counters of all properties: 9 MB, or 16 MB with host names of the maximum length. */
const RECORDS = 50_000;

/** One step of a range. */
type Step = {
  /** The sum of the weights. */
  requests: number;
  readonly counters: Readonly<Record<Dimension, FrequentItem[]>>;
};

/** The current step of a range, and the one before it. */
type Steps = { readonly start: number; readonly current: Step; readonly previous: Step };

type Kept = {
  readonly organizationId: OrganizationId;
  /** Oldest first. */
  readonly rejections: TrafficEvent[];
  readonly ranges: Record<TrafficRange, Steps>;
  /** Number of rejections and counters. */
  records: number;
};

/**
 * Creates the memory. Above its limits, it forgets the property whose latest request is the oldest, of the organization that has the most
 * records, so no tenant can use up the space of others.
 */
export function createTrafficMemory(): TrafficMemory {
  /** In the order of their latest requests. */
  const properties = new Map<PropertyId, Kept>();
  /** Records by organization. */
  const sizes = new Map<OrganizationId, number>();
  let total = 0;

  /** Adds to the number of records of an organization. */
  function resize(organizationId: OrganizationId, records: number): void {
    const size = (sizes.get(organizationId) ?? 0) + records;
    total += records;
    if (size === 0) sizes.delete(organizationId);
    else sizes.set(organizationId, size);
  }

  function keptOf({ propertyId, organizationId }: TrafficEvent): Kept {
    const known = properties.get(propertyId);
    // The property may have moved to another organization.
    if (known !== undefined && known.organizationId !== organizationId) remove(propertyId, known);
    const kept = properties.get(propertyId) ?? createKept(organizationId);
    properties.delete(propertyId);
    properties.set(propertyId, kept);
    return kept;
  }

  function recount(kept: Kept): void {
    const records = countRecords(kept);
    resize(kept.organizationId, records - kept.records);
    kept.records = records;
  }

  function remove(id: PropertyId, { organizationId, records }: Kept): void {
    resize(organizationId, -records);
    properties.delete(id);
  }

  function evict(): void {
    const [largest] = sizes.entries().reduce((most, one) => (one[1] > most[1] ? one : most));
    const oldest = properties.entries().find(([, { organizationId }]) => organizationId === largest);
    if (oldest !== undefined) remove(...oldest);
  }

  return {
    add(event) {
      const kept = keptOf(event);
      update(kept, event);
      recount(kept);
      while (total > RECORDS || properties.size > PROPERTIES) evict();
    },
    expire(now) {
      for (const [id, kept] of properties) {
        roll(kept, now);
        recount(kept);
        if (kept.records === 0) remove(id, kept);
      }
    },
    read({ organizationId, propertyId }, range, now) {
      const wanted = properties
        .entries()
        .filter(([id, kept]) => kept.organizationId === organizationId && (propertyId ?? id) === id)
        .map(([, kept]) => kept)
        .toArray();
      for (const kept of wanted) roll(kept, now);
      return report(wanted, range, now);
    },
    size: () => ({ properties: properties.size, records: total }),
  };
}

function createStep(): Step {
  return { requests: 0, counters: { networks: [], hosts: [], browsers: [], countries: [] } };
}

function startOf(range: TrafficRange, now: Instant): number {
  const length = TRAFFIC_RANGES[range];
  return Math.floor(now / length) * length;
}

/** The first event sets the start of each step. */
function createKept(organizationId: OrganizationId): Kept {
  const createSteps = (): Steps => ({ start: 0, current: createStep(), previous: createStep() });
  return { organizationId, rejections: [], ranges: { hour: createSteps(), day: createSteps() }, records: 0 };
}

/**
 * Begins the steps of the current time. An event of another thread can arrive in the step after its own, and counts there. After a wrong
 * clock was corrected, both steps begin again.
 */
function roll({ ranges, rejections }: Kept, now: Instant): void {
  for (const range of TRAFFIC_RANGE_NAMES) {
    const { start, current } = ranges[range];
    const next = startOf(range, now);
    const passed = (next - start) / TRAFFIC_RANGES[range];
    if (passed === 0 || passed === -1) continue;
    const previous = passed === 1 ? current : createStep();
    ranges[range] = { start: next, current: createStep(), previous };
  }
  const isOld = ({ at }: TrafficEvent) => at < now - DAY;
  while (rejections[0] !== undefined && isOld(rejections[0])) rejections.shift();
}

function update(kept: Kept, event: TrafficEvent): void {
  roll(kept, event.at);
  if (event.kind !== 'issued' && kept.rejections.push(event) > REJECTIONS) kept.rejections.shift();
  // A backend verifies, so its address and its program are not those of the visitor.
  if (event.kind === 'verification') return;
  for (const range of TRAFFIC_RANGE_NAMES) count(kept.ranges[range].current, event);
}

function count(step: Step, event: TrafficEvent): void {
  const { weight, kind } = event;
  step.requests += weight;
  for (const name of DIMENSION_NAMES) {
    const key = event[DIMENSIONS[name]];
    if (key === undefined) continue;
    countFrequent(step.counters[name], COUNTERS, { key, weight, isMarked: kind === 'rejected' });
  }
}

function countRecords({ rejections, ranges }: Kept): number {
  let records = rejections.length;
  for (const range of TRAFFIC_RANGE_NAMES) {
    const { current, previous } = ranges[range];
    for (const name of DIMENSION_NAMES)
      records += current.counters[name].length + previous.counters[name].length;
  }
  return records;
}

function report(wanted: readonly Kept[], range: TrafficRange, now: Instant): RecentTraffic {
  const steps = wanted.flatMap(({ ranges }) => [ranges[range].current, ranges[range].previous]);
  const top = DIMENSION_NAMES.map((name) => {
    const { items, maxError } = mergeFrequent(steps.map(({ counters }) => counters[name]));
    const values = items.map(({ key, count: requests, marked }) => ({
      value: key,
      requests,
      rejected: marked,
    }));
    return [name, { items: values.slice(0, LISTED), maxError }];
  });
  return {
    since: later(startOf(range, now) as Instant, -TRAFFIC_RANGES[range]),
    requests: steps.reduce((sum, { requests }) => sum + requests, 0),
    top: Object.fromEntries(top) as RecentTraffic['top'],
    rejections: wanted
      .flatMap(({ rejections }) => rejections.toReversed())
      .sort((a, b) => b.at - a.at)
      .slice(0, REJECTIONS),
  };
}
