import { LRUCache } from 'lru-cache';
import { type Awaitable, attempt } from '../lib/awaitable.ts';
import { type Arena, OWN_MEMORY } from '../lib/sharedMemory.ts';
import type { CacheReading } from '../model/readings.ts';

/** A read-through cache of values, and of keys that have no value. */
export type ReadCache<Key, Value> = {
  readonly get: (key: Key) => Awaitable<Value | undefined>;
  /** @returns the cached value, which can be out of date; undefined if there is none */
  readonly peek: (key: Key) => Value | undefined;
  /** Loads every entry again on its next use. The old values remain as a fallback if loading fails. */
  readonly invalidate: () => void;
  readonly read: () => ReadCacheReading;
};

/** The cache of values, and the cache of keys without a value, which answers lookups that the first one does not answer. */
export type ReadCacheReading = { readonly values: CacheReading; readonly missing: CacheReading };

/** The number of invalidations, which several threads can share. */
export type Generation = ReturnType<typeof createGeneration>;

/** Creates the generation of caches on one thread. */
export function createGeneration() {
  let current = 0;
  return { current: (): number => current, advance: (): void => void current++ };
}

export type ReadCacheOptions<Key, Value> = {
  readonly load: (key: Key) => Awaitable<Value | undefined>;
  /** Maximum number of values. */
  readonly capacity: number;
  /** Maximum number of keys without a value. They are separate, so that many unknown keys never evict values. */
  readonly missingCapacity: number;
  /** Called if loading fails and an old value is used. */
  readonly onStale?: (error: unknown) => void;
  /** By default, the cache has its own. */
  readonly generation?: Generation | undefined;
  /** Memory for the counters; see readCounters. */
  readonly arena?: Arena | undefined;
};

type Capacities = Pick<ReadCacheOptions<never, never>, 'capacity' | 'missingCapacity'>;

/** Opens the counters of a cache in the memory that the cache uses for them. @returns a function that reads them */
export function readCounters(
  { take }: Arena,
  { capacity, missingCapacity }: Capacities,
): () => ReadCacheReading {
  const counters = take(COUNTERS);
  return () => {
    const [found, missing, loaded, values, keys] = counters as unknown as Counters;
    return {
      values: { entries: values, capacity, lookups: { hits: found, misses: missing + loaded } },
      missing: { entries: keys, capacity: missingCapacity, lookups: { hits: missing, misses: loaded } },
    };
  };
}

/** Lookups by result, and the numbers of values and of keys without a value. */
type Counters = readonly [found: number, missing: number, loaded: number, values: number, keys: number];
const [FOUND, MISSING, LOADED, VALUES, KEYS, COUNTERS] = [0, 1, 2, 3, 4, 5];

type Entry<Value> = { readonly value: Value; readonly generation: number };

/**
 * Creates a cache that returns cached values without a promise. If `load` fails, `get` returns the value from before the last
 * `invalidate`.
 *
 * @returns a cache whose `get` throws the error of `load` if there is no old value
 */
export function createReadCache<Key extends string, Value extends object>(
  options: ReadCacheOptions<Key, Value>,
): ReadCache<Key, Value> {
  // `maxSize`, because `max` allocates all memory immediately: 8 MB for 131,072 entries.
  const known = new LRUCache<Key, Entry<Value>>({
    maxSize: options.capacity,
    sizeCalculation: () => 1,
  });
  const missing = new LRUCache<Key, number>({ maxSize: options.missingCapacity, sizeCalculation: () => 1 });
  const generation = options.generation ?? createGeneration();
  const { arena = OWN_MEMORY } = options;
  const counters = arena.take(COUNTERS);
  const read = readCounters({ take: () => counters }, options);

  function count(lookup: number): void {
    counters[lookup] = (counters[lookup] as number) + 1;
  }

  function store(key: Key, value: Value | undefined, requestedIn: number): Value | undefined {
    // Results can arrive in a different order than that of the requests.
    if (requestedIn < generationOf(key)) return value;
    if (value === undefined) {
      known.delete(key);
      missing.set(key, requestedIn);
    } else {
      missing.delete(key);
      known.set(key, { value, generation: requestedIn });
    }
    counters[VALUES] = known.size;
    counters[KEYS] = missing.size;
    return value;
  }

  function generationOf(key: Key): number {
    return known.peek(key)?.generation ?? missing.peek(key) ?? 0;
  }

  function fallBack(error: unknown, entry: Entry<Value> | undefined): Value {
    if (entry === undefined) throw error;
    options.onStale?.(error);
    return entry.value;
  }

  return {
    get(key) {
      const current = generation.current();
      const entry = known.get(key);
      if (entry?.generation === current) {
        count(FOUND);
        return entry.value;
      }
      if (entry === undefined && missing.get(key) === current) {
        count(MISSING);
        return undefined;
      }
      count(LOADED);
      // A result belongs to the generation in which it was requested, because it does not include later writes.
      return attempt(
        () => options.load(key),
        (value) => store(key, value, current),
        (error) => fallBack(error, entry),
      );
    },
    peek: (key) => known.peek(key)?.value,
    invalidate: generation.advance,
    read,
  };
}
