import type { CompiledRules } from '../captcha/rules/compileRules.ts';
import { createRuleCompiler } from '../captcha/rules/ruleCompiler.ts';
import type { RuledProperty } from '../captcha/rules/rulings.ts';
import type { Arena } from '../lib/arena.ts';
import { type Awaitable, chain } from '../lib/awaitable.ts';
import type { Principal } from '../model/apiKey.ts';
import type { PropertyAndRules } from '../model/ports/property.ts';
import type { Sitekey } from '../model/property.ts';
import { createReadCache, type Generation, type ReadCache } from '../storage/readCache.ts';

/** What the caches of the hot path read. The functions throw or reject if the database cannot be read. */
export type HotSources = {
  readonly property: (sitekey: Sitekey) => Awaitable<PropertyAndRules | undefined>;
  /** @param keyHash SHA-256 in lowercase hex */
  readonly principal: (keyHash: string) => Awaitable<Principal | undefined>;
  /** Returns the rules of the installation as JSON. */
  readonly installationRules: () => Awaitable<string | null>;
};

/** The caches of the hot path. */
export type HotCaches = {
  readonly properties: ReadCache<Sitekey, RuledProperty>;
  readonly principals: ReadCache<string, Principal>;
};

export type HotCachesOptions = {
  readonly sources: HotSources;
  /** Called if a source fails and an old value is used. */
  readonly onStale: (error: unknown) => void;
  /** All caches have the same generation, because every change invalidates all of them. */
  readonly generation: Generation;
  /** Memory for the counters; see HotReadings. */
  readonly arena?: Arena | undefined;
};

/** Maximum numbers of API keys, of unknown API keys, and of unknown sitekeys in the cache. */
export const RECORD_CAPACITY = 20_000;
/** Maximum number of properties in the cache, about 400 bytes each. Puzzles of other properties wait for a query. */
export const PROPERTY_CAPACITY = 131_072;
/** Characters of rules whose compiled form uses as much memory as a property without rules. */
const RULE_LENGTH_PER_PROPERTY = 100;

/** The capacities of the cache of properties. */
export const PROPERTIES = { capacity: PROPERTY_CAPACITY, missingCapacity: RECORD_CAPACITY };
/** The capacities of the cache of API keys. */
export const PRINCIPALS = { capacity: RECORD_CAPACITY, missingCapacity: RECORD_CAPACITY };
const INSTALLATION = { capacity: 1, missingCapacity: 1 };

const sizeOfRules = (length: number) => 1 + Math.ceil(length / RULE_LENGTH_PER_PROPERTY);

/** Creates the caches. Rules are compiled when they are loaded. */
export function createHotCaches({ sources, arena, ...common }: HotCachesOptions): HotCaches {
  const compile = createRuleCompiler();
  const installationCache = createReadCache<'installation', { readonly rules: CompiledRules | undefined }>({
    ...common,
    ...INSTALLATION,
    load: () => chain(sources.installationRules(), (json) => ({ rules: compile('installation', json) })),
  });
  /** Each property refers to the rules of the installation, so that both lists are from the same generation. */
  const toRuled = ({ rulesJson, ...property }: PropertyAndRules): Awaitable<RuledProperty> =>
    chain(installationCache.get('installation'), (installation) => ({
      ...property,
      installationRules: installation?.rules,
      rules: rulesJson === null ? undefined : compile(property.id, rulesJson),
    }));
  return {
    properties: createReadCache<Sitekey, RuledProperty>({
      ...common,
      ...PROPERTIES,
      arena,
      load: (sitekey) => chain(sources.property(sitekey), (found) => found && toRuled(found)),
      sizeOf: ({ rules }) => sizeOfRules(rules?.jsonLength ?? 0),
    }),
    principals: createReadCache<string, Principal>({
      ...common,
      ...PRINCIPALS,
      arena,
      load: sources.principal,
    }),
  };
}

/**
 * Creates caches of what the sources return, for the caches of several threads. While the database fails, all threads therefore use the
 * same old values.
 */
export function createCachedSources({ sources, ...common }: Omit<HotCachesOptions, 'arena'>): HotSources {
  const properties = createReadCache<Sitekey, PropertyAndRules>({
    ...common,
    ...PROPERTIES,
    load: sources.property,
    sizeOf: ({ rulesJson }) => sizeOfRules(rulesJson?.length ?? 0),
  });
  const principals = createReadCache<string, Principal>({
    ...common,
    ...PRINCIPALS,
    load: sources.principal,
  });
  const installation = createReadCache<'installation', { readonly json: string | null }>({
    ...common,
    ...INSTALLATION,
    load: () => chain(sources.installationRules(), (json) => ({ json })),
  });
  return {
    property: properties.get,
    principal: principals.get,
    installationRules: () => chain(installation.get('installation'), (found) => found?.json ?? null),
  };
}
