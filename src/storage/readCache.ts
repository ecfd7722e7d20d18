import { LRUCache } from 'lru-cache';
import { type Awaitable, attempt } from '../lib/awaitable.ts';
import type { CacheReading } from '../model/readings.ts';

/** A read-through cache of values, and of keys that have no value. */
export type ReadCache<Key, Value> = {
  readonly get: (key: Key) => Awaitable<Value | undefined>;
  /** Loads every entry again on its next use. The old values remain as a fallback if loading fails. */
  readonly invalidate: () => void;
  /** The cache of values, and the cache of keys without a value, which answers lookups that the first one does not answer. */
  readonly read: () => { readonly values: CacheReading; readonly missing: CacheReading };
};

export type ReadCacheOptions<Key, Value> = {
  readonly load: (key: Key) => Awaitable<Value | undefined>;
  /** Maximum sum of the sizes of the values. */
  readonly capacity: number;
  /** Returns the size of a value, a whole number of at least 1; by default, 1. */
  readonly sizeOf?: (value: Value) => number;
  /** Maximum number of keys without a value. They are separate, so that many unknown keys never evict values. */
  readonly missingCapacity: number;
  /** Called if loading fails and an old value is used. */
  readonly onStale?: (error: unknown) => void;
};

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
  // `maxSize`, because `max` allocates all memory at the start: 8 MB for 131,072 entries.
  const known = new LRUCache<Key, Entry<Value>>({
    maxSize: options.capacity,
    sizeCalculation: ({ value }) => options.sizeOf?.(value) ?? 1,
  });
  const missing = new LRUCache<Key, number>({ max: options.missingCapacity });
  let generation = 0;
  const lookups = { found: 0, missing: 0, loaded: 0 };

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
      const entry = known.get(key);
      if (entry?.generation === generation) {
        lookups.found++;
        return entry.value;
      }
      if (entry === undefined && missing.get(key) === generation) {
        lookups.missing++;
        return undefined;
      }
      lookups.loaded++;
      // A result belongs to the generation in which it was requested, because it does not include later writes.
      const requestedIn = generation;
      return attempt(
        () => options.load(key),
        (value) => store(key, value, requestedIn),
        (error) => fallBack(error, entry),
      );
    },
    invalidate() {
      generation++;
    },
    read() {
      return {
        values: {
          entries: known.size,
          capacity: options.capacity,
          lookups: { hits: lookups.found, misses: lookups.missing + lookups.loaded },
        },
        missing: {
          entries: missing.size,
          capacity: options.missingCapacity,
          lookups: { hits: lookups.missing, misses: lookups.loaded },
        },
      };
    },
  };
}
