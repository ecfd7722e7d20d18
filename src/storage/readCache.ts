import { LRUCache } from 'lru-cache';
import { type Awaitable, attempt } from '../lib/awaitable.ts';

/** A read-through cache: what is there, and what is known to be missing. */
export type Cached<Key, Value> = {
  readonly get: (key: Key) => Awaitable<Value | undefined>;
  /** Everything is asked anew from now on; what was known stays as a fallback for when asking fails. */
  readonly expire: () => void;
};

export type CachedOptions<Key, Value> = {
  readonly load: (key: Key) => Awaitable<Value | undefined>;
  /** Known entries at most. */
  readonly capacity: number;
  /** Keys known to be missing at most; apart, so that a flood of unknown keys never drives out the known ones. */
  readonly missingCapacity: number;
  /** Told when asking failed, and what was known is used instead. */
  readonly onStale?: (error: unknown) => void;
};

type Entry<Value> = { readonly value: Value; readonly generation: number };

/**
 * What was asked before comes from memory, without a promise. Bounded both ways. When `load` throws, an entry
 * that was true before the last `expire` is better than none: it is given, and `onStale` told.
 *
 * @throws what `load` throws, where nothing was ever known of this key
 */
export function createCached<Key extends string, Value extends object>(
  options: CachedOptions<Key, Value>,
): Cached<Key, Value> {
  // By size and not by number: with a number its room is taken at the start, 8 MB for 131,072 entries.
  const known = new LRUCache<Key, Entry<Value>>({ maxSize: options.capacity, sizeCalculation: () => 1 });
  const missing = new LRUCache<Key, number>({ max: options.missingCapacity });
  let generation = 0;

  function keep(key: Key, value: Value | undefined, asOf: number): Value | undefined {
    // Answers may come in another order than they were asked for; a newer one is there already.
    if (asOf < generationOf(key)) return value;
    if (value === undefined) {
      known.delete(key);
      missing.set(key, asOf);
    } else {
      missing.delete(key);
      known.set(key, { value, generation: asOf });
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
      if (entry?.generation === generation) return entry.value;
      if (entry === undefined && missing.get(key) === generation) return undefined;
      // An answer belongs to the generation it was asked in: a write meanwhile makes it old at once.
      const asOf = generation;
      return attempt(
        () => options.load(key),
        (value) => keep(key, value, asOf),
        (error) => fallBack(error, entry),
      );
    },
    expire() {
      generation++;
    },
  };
}
