import { LRUCache } from 'lru-cache';
import type { UsedFormStore } from '../../model/ports/usedForms.ts';

/** Maximum number of used tokens in memory, about 100 bytes each. */
const CAPACITY = 10_000;

/** A store of used forms in memory, for an installation with one server. */
export function createMemoryUsedForms(): UsedFormStore {
  // `maxSize`, because `max` allocates all memory immediately.
  const used = new LRUCache<string, true>({ maxSize: CAPACITY, sizeCalculation: () => 1 });
  return {
    async use(token) {
      if (used.has(token)) return false;
      used.set(token, true);
      return true;
    },
    // The capacity limits the memory.
    purge: async () => 0,
  };
}
