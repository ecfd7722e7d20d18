import { createHistogram, type Histogram, sumCounts, sumHistograms } from '../lib/counters.ts';
import { type Arena, OWN_MEMORY } from '../lib/sharedMemory.ts';
import type { RequestReading } from '../model/readings.ts';

/** Counts requests and measures their duration, by method, route, and status. */
export type RequestMeter = {
  /**
   * Declares the routes of the server. Requests to other paths, or with a method that the path does not support, share one record.
   *
   * @returns a function that records a response
   */
  readonly open: (routes: readonly Route[]) => RecordResponse;
  /** @returns a function that records a response of one route, without looking up the route */
  readonly recorderOf: (method: string, route: string) => (status: number, milliseconds: number) => void;
  /** The routes that received requests. */
  readonly read: () => readonly RequestReading[];
};

/** @param path without a slash at the end @param milliseconds from the arrival of the request to its response */
export type RecordResponse = (method: string, path: string, status: number, milliseconds: number) => void;

type Route = { readonly method: string; readonly path: string };

/** The responses to requests with one method to one route. `counts` is undefined until the first response. */
type Record = { readonly method: string; readonly route: string; counts: Counts | undefined };
type Counts = { readonly statuses: Float64Array; readonly seconds: Histogram };

/** Upper bounds in seconds. A puzzle takes about 0.01 ms, a verification 0.5 ms, and a page of the portal 1 to 50 ms. */
const DURATION_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** Statuses are 100 to 599 (RFC 9110, section 15). */
const STATUS_MIN = 100;
const STATUS_COUNT = 500;

/** The `route` and the `method` of requests without a route. Clients can invent paths and methods, so neither is recorded. */
const UNMATCHED = { method: 'other', route: 'unmatched' } as const;

/** @see RequestMeter @param arena memory that another thread reads too; it is divided by `open` */
export function createRequestMeter(arena?: Arena): RequestMeter {
  const records = new Map<string, Record>();

  function recordOf(method: string, route: string): Record {
    const key = `${method} ${route}`;
    const record = records.get(key) ?? { method, route, counts: arena && newCounts(arena) };
    records.set(key, record);
    return record;
  }

  return {
    open(routes) {
      const unmatched = recordOf(UNMATCHED.method, UNMATCHED.route);
      const find = createFinder(routes, recordOf);
      return (method, path, status, milliseconds) => {
        count(find(method, path) ?? unmatched, status, milliseconds);
      };
    },
    recorderOf(method, route) {
      const record = recordOf(method, route);
      return (status, milliseconds) => count(record, status, milliseconds);
    },
    read: () => records.values().flatMap(toReadings).toArray(),
  };
}

function count(record: Record, status: number, milliseconds: number): void {
  record.counts ??= newCounts(OWN_MEMORY);
  const { statuses, seconds } = record.counts;
  statuses[status - STATUS_MIN] = (statuses[status - STATUS_MIN] as number) + 1;
  seconds.observe(milliseconds / 1000);
}

function newCounts(arena: Arena): Counts {
  return { statuses: arena.take(STATUS_COUNT), seconds: createHistogram(DURATION_BOUNDS, arena) };
}

/** @returns the sums of readings of the same routes, in the order in which the routes appear first */
export function sumRequests(readings: readonly RequestReading[]): readonly RequestReading[] {
  const byRoute = Map.groupBy(readings, ({ method, route }) => `${method} ${route}`);
  return byRoute
    .values()
    .flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const statuses = sumCounts(same.map((reading) => reading.statuses));
      return [{ ...first, statuses, seconds: sumHistograms(same.map(({ seconds }) => seconds)) }];
    })
    .toArray();
}

/** @returns no reading for a route without responses */
function toReadings({ method, route, counts }: Record): readonly RequestReading[] {
  if (counts === undefined) return [];
  const seconds = counts.seconds.read();
  // Each request thread has memory for all routes, and most routes receive no requests.
  if (!Array.prototype.some.call(seconds.counts, (count) => count > 0)) return [];
  const statuses = new Map<number, number>();
  counts.statuses.forEach((count, at) => {
    if (count > 0) statuses.set(at + STATUS_MIN, count);
  });
  return [{ method, route, statuses, seconds }];
}

type ByMethod = Map<string, Record>;
type Pattern = { readonly segments: readonly string[]; readonly byMethod: ByMethod };

/**
 * Finds the record of a request. A path without placeholders costs one lookup in a map; other paths are compared segment by segment
 * with the routes that have the same number of segments.
 */
function createFinder(routes: readonly Route[], recordOf: (method: string, route: string) => Record) {
  const exact = new Map<string, ByMethod>();
  const patterns = new Map<number, Pattern[]>();

  function tableOf(path: string): ByMethod {
    const segments = path.split('/');
    if (!segments.some(isPlaceholder)) return getOrAdd(exact, path, () => new Map());
    const sameLength = getOrAdd(patterns, segments.length, () => []);
    const known = sameLength.find((pattern) => pattern.segments.join('/') === path);
    if (known !== undefined) return known.byMethod;
    const byMethod: ByMethod = new Map();
    sameLength.push({ segments, byMethod });
    return byMethod;
  }

  for (const { method, path } of routes) {
    const byMethod = tableOf(path);
    byMethod.set(method, recordOf(method, toLabel(path)));
    if (method === 'GET') byMethod.set('HEAD', recordOf('HEAD', toLabel(path)));
  }
  // A fixed text is more specific than a placeholder in the same position.
  for (const sameLength of patterns.values()) sameLength.sort(bySpecificity);

  return (method: string, path: string): Record | undefined =>
    (exact.get(path) ?? findPattern(patterns, path))?.get(method);
}

function findPattern(patterns: ReadonlyMap<number, readonly Pattern[]>, path: string): ByMethod | undefined {
  const segments = path.split('/');
  return patterns.get(segments.length)?.find((pattern) => matches(pattern, segments))?.byMethod;
}

function matches({ segments: expected }: Pattern, segments: readonly string[]): boolean {
  return expected.every((segment, at) => isPlaceholder(segment) || segment === segments[at]);
}

function isPlaceholder(segment: string): boolean {
  return segment.startsWith(':');
}

function bySpecificity(a: Pattern, b: Pattern): number {
  const at = a.segments.findIndex(
    (segment, index) => isPlaceholder(segment) !== isPlaceholder(b.segments[index] ?? ''),
  );
  if (at < 0) return 0;
  return isPlaceholder(a.segments[at] ?? '') ? 1 : -1;
}

/** @returns the label of a route. All versions of a file whose path contains a hash share a label, and so do the files of all languages. */
export function toLabel(path: string): string {
  return path
    .replace(/^\/widget\/lang\/[^/.]+/, '/widget/lang/:language')
    .replace(/\.[0-9a-f]{16}(\.\w+)$/, '.:hash$1');
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
