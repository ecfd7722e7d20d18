import type { CacheReading } from '../model/readings.ts';
import type { Family, Sample } from './family.ts';

/** Caches by name. */
export type CacheSources = { readonly caches: ReadonlyMap<string, () => CacheReading> };

/** @returns the metrics of caches */
export function createCacheFamilies({ caches }: CacheSources): readonly Family[] {
  /** @param valueIn undefined if the cache does not count the value */
  const read = (valueIn: (cache: CacheReading) => number | undefined) => (): readonly Sample[] =>
    [...caches].flatMap(([name, readCache]) => {
      const value = valueIn(readCache());
      return value === undefined ? [] : [{ labels: { cache: name }, value }];
    });
  return [
    {
      name: 'postern_cache_hits_total',
      help: 'Number of lookups that the cache answered.',
      type: 'counter',
      labels: ['cache'],
      read: read(({ lookups }) => lookups?.hits),
    },
    {
      name: 'postern_cache_misses_total',
      help: 'Number of lookups that the cache did not answer.',
      type: 'counter',
      labels: ['cache'],
      read: read(({ lookups }) => lookups?.misses),
    },
    {
      name: 'postern_cache_entries',
      help: 'Number of entries in the cache.',
      type: 'gauge',
      labels: ['cache'],
      read: read(({ entries }) => entries),
    },
    {
      name: 'postern_cache_capacity',
      help: 'Maximum number of entries in the cache.',
      type: 'gauge',
      labels: ['cache'],
      read: read(({ capacity }) => capacity),
    },
  ];
}
