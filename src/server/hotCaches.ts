import { createRuleCache, createRulesOf, type RulesOf } from '../captcha/rules/ruleCache.ts';
import type { Arena } from '../lib/arena.ts';
import type { Awaitable } from '../lib/awaitable.ts';
import type { Log } from '../lib/log.ts';
import { pacer } from '../lib/pacer.ts';
import { timer } from '../lib/timer.ts';
import type { Principal } from '../model/apiKey.ts';
import type { PropertyAndRevisions } from '../model/ports/property.ts';
import type { StoredRules } from '../model/ports/rules.ts';
import type { Sitekey } from '../model/property.ts';
import type { RuleScope } from '../model/rules/rule.ts';
import { createReadCache, type Generation, type ReadCache } from '../storage/readCache.ts';

/** What the caches of the hot path read. The functions throw or reject if the database cannot be read. */
export type HotSources = {
  readonly property: (sitekey: Sitekey) => Awaitable<PropertyAndRevisions | undefined>;
  /** @param keyHash SHA-256 in lowercase hex */
  readonly principal: (keyHash: string) => Awaitable<Principal | undefined>;
  /** Returns the rules of a scope; undefined if it never had rules. */
  readonly rules: (scope: RuleScope) => Awaitable<StoredRules | undefined>;
};

/** The caches of the hot path. */
export type HotCaches = {
  readonly properties: ReadCache<Sitekey, PropertyAndRevisions>;
  readonly principals: ReadCache<string, Principal>;
  /** The rules that apply to a property of the cache. */
  readonly rulesOf: RulesOf;
};

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

/** Creates the caches. Rules have their own cache, so that large lists do not evict properties. */
export function createHotCaches({ sources, arena, log, ...common }: HotCachesOptions): HotCaches {
  return {
    properties: createReadCache<Sitekey, PropertyAndRevisions>({
      ...common,
      ...PROPERTIES,
      arena,
      load: sources.property,
    }),
    principals: createReadCache<string, Principal>({
      ...common,
      ...PRINCIPALS,
      arena,
      load: sources.principal,
    }),
    rulesOf: createRulesOf(
      createRuleCache({
        load: sources.rules,
        onStale: common.onStale,
        onLate: (scope) => log.warn('rules-late', { property: scope }),
        pacer,
        timer,
      }),
    ),
  };
}

/**
 * Creates caches of what the sources return, for the caches of several threads. While the database fails, all threads therefore use the
 * same old values. Each thread keeps its own compiled rules.
 */
export function createCachedSources({
  sources,
  ...common
}: Omit<HotCachesOptions, 'arena' | 'log'>): HotSources {
  const properties = createReadCache<Sitekey, PropertyAndRevisions>({
    ...common,
    ...PROPERTIES,
    load: sources.property,
  });
  const principals = createReadCache<string, Principal>({
    ...common,
    ...PRINCIPALS,
    load: sources.principal,
  });
  return { property: properties.get, principal: principals.get, rules: sources.rules };
}
