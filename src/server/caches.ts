import { createRuleCache, createRulesOf } from '../captcha/rules/ruleCache.ts';
import { createKeyRing, type KeyRing } from '../captcha/signature.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import { createLatest } from '../lib/lazy.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import type { Arena } from '../lib/sharedMemory.ts';
import type { Clock, Instant } from '../lib/time.ts';
import { timer } from '../lib/timer.ts';
import type { Principal } from '../model/apiKey.ts';
import { type SigningKey, VERIFY_ONLY_MS } from '../model/ports/installation.ts';
import type { PropertyAndRevisions } from '../model/ports/property.ts';
import type { StoredRules } from '../model/ports/rules.ts';
import type { Sitekey } from '../model/property.ts';
import type { CacheReading } from '../model/readings.ts';
import type { RuleScope } from '../model/rules/rule.ts';
import { createReadCache, type Generation } from '../storage/readCache.ts';
import type { Meters } from './meters.ts';
import type { Services } from './services.ts';

/** What the caches of the hot path read. The functions throw or reject if the database cannot be read. */
export type HotSources = {
  readonly property: (sitekey: Sitekey) => Awaitable<PropertyAndRevisions | undefined>;
  /** @param keyHash SHA-256 in lowercase hex */
  readonly principal: (keyHash: string) => Awaitable<Principal | undefined>;
  /** Returns the rules of a scope; undefined if it never had rules. */
  readonly rules: (scope: RuleScope) => Awaitable<StoredRules | undefined>;
};

/** @see createHotCaches */
export type HotCaches = ReturnType<typeof createHotCaches>;

export type HotCachesOptions = {
  readonly sources: HotSources;
  /** Called if a source fails and an old value is used. */
  readonly onStale: (error: unknown) => void;
  readonly log: Pick<Log, 'warn'>;
  /** All caches have the same generation, because every change invalidates all of them. */
  readonly generation: Generation;
  /** Memory for the counters; see HotReadings. */
  readonly arena?: Arena | undefined;
};

/** Maximum numbers of API keys, of unknown API keys, and of unknown sitekeys in the cache. */
export const RECORD_CAPACITY = 20_000;
/** Maximum number of properties in the cache, about 400 bytes each. Puzzles of other properties wait for a query. */
export const PROPERTY_CAPACITY = 131_072;
/** The capacities of the cache of properties. */
export const PROPERTIES = { capacity: PROPERTY_CAPACITY, missingCapacity: RECORD_CAPACITY };
/** The capacities of the cache of API keys. */
export const PRINCIPALS = { capacity: RECORD_CAPACITY, missingCapacity: RECORD_CAPACITY };

type RecordCachesOptions = Omit<HotCachesOptions, 'log'>;

function createRecordCaches({ sources, arena, onStale, generation }: RecordCachesOptions) {
  const common = { onStale, generation, arena };
  return {
    properties: createReadCache<Sitekey, PropertyAndRevisions>({
      ...common,
      ...PROPERTIES,
      load: sources.property,
    }),
    principals: createReadCache<string, Principal>({ ...common, ...PRINCIPALS, load: sources.principal }),
  };
}

/** Creates the caches of the hot path. Rules have their own cache, so that large lists do not evict properties. */
export function createHotCaches(options: HotCachesOptions) {
  const ruleCache = createRuleCache({
    load: options.sources.rules,
    onStale: options.onStale,
    onLate: (scope) => options.log.warn('rules-late', { property: scope }),
    pacer,
    timer,
  });
  return {
    ...createRecordCaches(options),
    /** The rules that apply to a property of the cache. */
    rulesOf: createRulesOf(ruleCache),
  };
}

/**
 * Creates caches of what the sources return, for the caches of several threads. While the database fails, all threads therefore use the
 * same old values. Each thread keeps its own compiled rules.
 */
function createCachedSources(options: RecordCachesOptions): HotSources {
  const { properties, principals } = createRecordCaches(options);
  return { property: properties.get, principal: principals.get, rules: options.sources.rules };
}

/** @see createCaches */
export type Caches = Awaited<ReturnType<typeof createCaches>>;

export type CachesOptions = {
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  readonly meters: Meters;
  readonly generation: Generation;
  /** Whether other request threads use what the caches read. */
  readonly isShared: boolean;
};

/** Creates the caches of the hot path, and the signing keys, from the main database. */
export async function createCaches(options: CachesOptions) {
  const { services, log, clock, meters, generation, isShared } = options;
  let keys = await services.signingKeys.list();
  let onSigningKeys: () => void = () => {};
  const signing = createSigningRing(keys, clock);

  const refreshKeys = createLatest((found: readonly SigningKey[]) => {
    keys = found;
    signing.replace(keys);
    onSigningKeys();
  });

  /** Logs the first failure of the database, and turns on maintenance mode until the database works again. */
  function reportFailure(error: unknown): void {
    meters.storageFailures.add('main');
    if (services.maintenance.recordFailure()) log.error('database-failed', { reason: reasonOf(error) });
  }

  const common = { generation, onStale: reportFailure };
  const { properties, apiKeys, rules } = services.stores;
  const stored: HotSources = {
    property: (sitekey) => properties.bySitekey(sitekey),
    principal: (keyHash) => apiKeys.byKeyHash(keyHash),
    rules: (scope) => rules.stored(scope),
  };
  const sources = isShared ? createCachedSources({ ...common, sources: stored }) : stored;
  const caches = createHotCaches({ ...common, sources, log });
  registerCaches(meters, caches);

  return {
    ...caches,
    /** What the caches read. With several request threads, these reads are cached, too. */
    sources,
    ring: signing.ring,
    signingKeys: () => keys,
    /** Calls the listener after the signing keys were read again. */
    onSigningKeys(listener: () => void) {
      onSigningKeys = listener;
    },
    /** Invalidates the caches and reads the signing keys again. */
    async refresh(): Promise<void> {
      generation.advance();
      await refreshKeys(services.signingKeys.list);
    },
    reportFailure,
  };
}

/** Adds the caches to the metrics, together with those of the other request threads. */
function registerCaches({ caches, others }: Meters, { properties, principals }: HotCaches): void {
  const readProperties = [properties.read, ...others.map((other) => other.properties)];
  const readPrincipals = [principals.read, ...others.map((other) => other.principals)];
  caches.set('properties', () => sumCaches(readProperties.map((read) => read().values)));
  caches.set('unknown_sitekeys', () => sumCaches(readProperties.map((read) => read().missing)));
  caches.set('api_keys', () => sumCaches(readPrincipals.map((read) => read().values)));
  caches.set('unknown_api_keys', () => sumCaches(readPrincipals.map((read) => read().missing)));
}

/** Returns the sums of the caches of several threads. */
function sumCaches(readings: readonly CacheReading[]): CacheReading {
  const sum = (numberIn: (reading: CacheReading) => number | undefined) =>
    readings.reduce((total, reading) => total + (numberIn(reading) ?? 0), 0);
  return {
    entries: sum(({ entries }) => entries),
    capacity: sum(({ capacity }) => capacity),
    lookups: { hits: sum(({ lookups }) => lookups?.hits), misses: sum(({ lookups }) => lookups?.misses) },
  };
}

/** Creates the ring of the signing keys. @param first in the reverse order of their creation */
export function createSigningRing(first: readonly SigningKey[], clock: Clock) {
  let keys = first;
  let ring = toKeyRing(keys, clock());
  let signsAt = firstSigningTime(keys);
  return {
    ring(): KeyRing {
      if (clock() >= signsAt) {
        ring = toKeyRing(keys, clock());
        signsAt = Number.POSITIVE_INFINITY;
      }
      return ring;
    },
    replace(next: readonly SigningKey[]): void {
      keys = next;
      ring = toKeyRing(keys, clock());
      signsAt = firstSigningTime(keys);
    },
  };
}

function firstSigningTime([newest]: readonly SigningKey[]): number {
  return newest === undefined ? Number.POSITIVE_INFINITY : newest.createdAt + VERIFY_ONLY_MS;
}

/** The newest key that is old enough to sign is the signer; if there is none, the oldest key. */
function toKeyRing(keys: readonly SigningKey[], now: Instant): KeyRing {
  const signing = keys.find((key) => key.createdAt + VERIFY_ONLY_MS <= now);
  return createKeyRing(keys, signing ?? keys.at(-1));
}
