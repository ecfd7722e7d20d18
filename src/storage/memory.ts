import { LRUCache } from 'lru-cache';
import { createMonotonicTime, type Instant } from '../lib/time.ts';
import { ATTEMPTS_EXPIRE_AFTER, type AttemptRule, delayAfter } from '../model/account.ts';
import type { AttemptStore, UsedFormStore } from '../model/ports/session.ts';
import type { SharedState } from './storage.ts';

/**
 * Maximum number of keys for each rule, about 200 bytes each. A new key replaces the key with the oldest failure, unless that key is
 * still delayed. If all keys are delayed, the new key is not stored, so that a flood of new keys cannot end a delay.
 */
const ATTEMPT_CAPACITY = 20_000;

/** An attempt store in memory, for an installation with one server. */
export function createMemoryAttempts(): AttemptStore {
  const counters = new Map<string, FailureCounter>();
  const toMonotonic = createMonotonicTime();

  function counterOf(rule: AttemptRule): FailureCounter {
    const known = counters.get(rule.name);
    if (known !== undefined) return known;
    const counter = createFailureCounter(rule);
    counters.set(rule.name, counter);
    return counter;
  }

  const delayOf: (...args: Parameters<AttemptStore['delay']>) => number = (limits, now) =>
    Math.max(0, ...limits.map(({ rule, keyHash }) => counterOf(rule).delay(keyHash, now)));

  return {
    delay: async (limits, now) => delayOf(limits, toMonotonic(now)),
    async begin(limits, now) {
      const at = toMonotonic(now);
      const delay = delayOf(limits, at);
      if (delay > 0) return delay;
      for (const { rule, keyHash } of limits) counterOf(rule).count(keyHash, at);
      return 0;
    },
    async takeBack(limits) {
      for (const { rule, keyHash } of limits) counterOf(rule).takeBack(keyHash);
    },
    async clear(limits) {
      for (const { rule, keyHash } of limits) counterOf(rule).clear(keyHash);
    },
    // The capacity limits the memory.
    purge: async () => 0,
  };
}

type FailureCounter = ReturnType<typeof createFailureCounter>;

/** The failures of one rule. */
function createFailureCounter(rule: AttemptRule) {
  const failures = new Map<string, { readonly count: number; readonly at: Instant }>();

  function find(key: string, now: Instant) {
    const found = failures.get(key);
    return found !== undefined && now < found.at + ATTEMPTS_EXPIRE_AFTER ? found : undefined;
  }

  /** Visits all keys in the worst case, which takes 0.2 ms; an attempt takes 20 ms or more. */
  function evict(now: Instant): boolean {
    for (const [key, { count, at }] of failures) {
      if (at + delayAfter(count, rule) > now) continue;
      return failures.delete(key);
    }
    return false;
  }

  return {
    /** @returns milliseconds; 0 or less if there is no delay */
    delay(key: string, now: Instant): number {
      const found = find(key, now);
      return found === undefined ? 0 : found.at + delayAfter(found.count, rule) - now;
    },
    count(key: string, now: Instant): void {
      const count = (find(key, now)?.count ?? 0) + 1;
      // A Map preserves the insertion order, so the first key has the oldest failure.
      failures.delete(key);
      if (failures.size < ATTEMPT_CAPACITY || evict(now)) failures.set(key, { count, at: now });
    },
    takeBack(key: string): void {
      const found = failures.get(key);
      if (found === undefined) return;
      if (found.count > 1) failures.set(key, { count: found.count - 1, at: found.at });
      else failures.delete(key);
    },
    clear: (key: string) => void failures.delete(key),
  };
}

const ALWAYS_HELD = { isHeld: () => true };

/** The shared state of an installation with one server: in memory, and without locks. */
export function createSingleServerState(): SharedState {
  return {
    attempts: createMemoryAttempts(),
    usedForms: createMemoryUsedForms(),
    exclusively: (_, work) => work(ALWAYS_HELD),
    isClustered: false,
  };
}

/** Maximum number of used tokens in memory, about 100 bytes each. */
const FORM_CAPACITY = 10_000;

/** A store of used forms in memory, for an installation with one server. */
export function createMemoryUsedForms(): UsedFormStore {
  // `maxSize`, because `max` allocates all memory immediately.
  const used = new LRUCache<string, true>({ maxSize: FORM_CAPACITY, sizeCalculation: () => 1 });
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
