import type { KeyRing } from '../captcha/signature.ts';
import { createLatest } from '../lib/latest.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import type { Clock } from '../lib/time.ts';
import type { SigningKey } from '../model/ports/signingKey.ts';
import type { CacheReading } from '../model/readings.ts';
import type { Generation } from '../storage/readCache.ts';
import { createCachedSources, createHotCaches, type HotCaches, type HotSources } from './hotCaches.ts';
import type { Meters } from './meters.ts';
import type { Services } from './services.ts';
import { createSigningRing } from './signingRing.ts';

/** Data of the main database that a running server caches for the hot path. */
export type Caches = HotCaches & {
  readonly ring: () => KeyRing;
  /** What the caches read. With several request threads, these reads are cached, too. */
  readonly sources: HotSources;
  readonly signingKeys: () => readonly SigningKey[];
  /** Calls the listener after the signing keys were read again. */
  readonly onSigningKeys: (listener: () => void) => void;
  /** Invalidates the caches and reads the signing keys again. */
  readonly refresh: () => Promise<void>;
  /** Logs the first failure of the database, and turns on maintenance mode until the database works again. */
  readonly reportFailure: (error: unknown) => void;
};

export type CachesOptions = {
  readonly services: Services;
  readonly log: Log;
  readonly clock: Clock;
  readonly meters: Meters;
  readonly generation: Generation;
  /** Whether other request threads use what the caches read. */
  readonly isShared: boolean;
};

/** @see Caches */
export async function createCaches(options: CachesOptions): Promise<Caches> {
  const { services, log, clock, meters, generation, isShared } = options;
  let keys = await services.signingKeys.list();
  let onSigningKeys: () => void = () => {};
  const signing = createSigningRing(keys, clock);

  const refreshKeys = createLatest((found: readonly SigningKey[]) => {
    keys = found;
    signing.replace(keys);
    onSigningKeys();
  });

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
    sources,
    ring: signing.ring,
    signingKeys: () => keys,
    onSigningKeys(listener) {
      onSigningKeys = listener;
    },
    async refresh() {
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
