import type { CompiledRules } from '../captcha/rules/compileRules.ts';
import { createRuleCompiler } from '../captcha/rules/ruleCompiler.ts';
import type { RuledProperty } from '../captcha/rules/rulings.ts';
import { createKeyRing, type KeyRing } from '../captcha/signature.ts';
import { type Awaitable, chain } from '../lib/awaitable.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import type { Clock, Instant } from '../lib/time.ts';
import type { Principal } from '../model/apiKey.ts';
import type { PropertyAndRules } from '../model/ports/property.ts';
import type { SigningKey } from '../model/ports/signingKey.ts';
import type { Sitekey } from '../model/property.ts';
import { createReadCache, type ReadCache } from '../storage/readCache.ts';
import type { Meters } from './meters.ts';
import type { Services } from './services.ts';

/** Data of the main database that a running server caches for the hot path. */
export type Caches = {
  readonly properties: ReadCache<Sitekey, RuledProperty>;
  readonly principals: ReadCache<string, Principal>;
  readonly ring: () => KeyRing;
  /** Invalidates the caches and reads the signing keys again. */
  readonly refresh: () => Promise<void>;
  /** Logs the first failure of the database, and turns on maintenance mode until the database works again. */
  readonly reportFailure: (error: unknown) => void;
};

/** Maximum numbers of API keys, of unknown API keys, and of unknown sitekeys in the cache. */
export const RECORD_CAPACITY = 20_000;
/** Maximum number of properties in the cache, about 400 bytes each. Puzzles of other properties wait for a query. */
export const PROPERTY_CAPACITY = 131_072;
/** Characters of rules whose compiled form uses as much memory as a property without rules. */
const RULE_LENGTH_PER_PROPERTY = 100;

/**
 * How long a new signing key only verifies before it signs. By then, all other processes on this folder have read the key, so none
 * of them receives a puzzle with an unknown signature.
 */
const VERIFY_ONLY_MS = 1000;

/** @see Caches */
export async function createCaches(
  services: Services,
  log: Log,
  clock: Clock,
  meters: Meters,
): Promise<Caches> {
  const keys = await createKeys(services, clock);

  function reportFailure(error: unknown): void {
    meters.storageFailures.add('main');
    if (services.maintenance.recordFailure()) log.error('database-failed', { reason: reasonOf(error) });
  }

  const { properties, apiKeys, rules } = services.stores;
  const compile = createRuleCompiler();
  const installationCache = createReadCache<'installation', { readonly rules: CompiledRules | undefined }>({
    load: async () => ({ rules: compile('installation', await rules.json('installation')) }),
    capacity: 1,
    missingCapacity: 1,
    onStale: reportFailure,
  });
  /** Each property refers to the rules of the installation, so that both lists are from the same generation. */
  const toRuled = ({ rulesJson, ...property }: PropertyAndRules): Awaitable<RuledProperty> =>
    chain(installationCache.get('installation'), (installation) => ({
      ...property,
      installationRules: installation?.rules,
      rules: rulesJson === null ? undefined : compile(property.id, rulesJson),
    }));
  const propertyCache = createReadCache<Sitekey, RuledProperty>({
    load: (key) => chain(properties.bySitekey(key), (found) => found && toRuled(found)),
    sizeOf: ({ rules }) => 1 + Math.ceil((rules?.jsonLength ?? 0) / RULE_LENGTH_PER_PROPERTY),
    capacity: PROPERTY_CAPACITY,
    missingCapacity: RECORD_CAPACITY,
    onStale: reportFailure,
  });
  const principals = createReadCache<string, Principal>({
    load: (key) => apiKeys.byKeyHash(key),
    capacity: RECORD_CAPACITY,
    missingCapacity: RECORD_CAPACITY,
    onStale: reportFailure,
  });

  meters.caches.set('properties', () => propertyCache.read().values);
  meters.caches.set('unknown_sitekeys', () => propertyCache.read().missing);
  meters.caches.set('api_keys', () => principals.read().values);
  meters.caches.set('unknown_api_keys', () => principals.read().missing);

  return {
    properties: propertyCache,
    principals,
    ring: keys.ring,
    async refresh() {
      installationCache.invalidate();
      propertyCache.invalidate();
      principals.invalidate();
      await keys.refresh();
    },
    reportFailure,
  };
}

async function createKeys(services: Services, clock: Clock): Promise<Pick<Caches, 'ring' | 'refresh'>> {
  let keys = await services.signingKeys.list();
  let ring = toKeyRing(keys, clock());
  let signsAt = firstSigningTime(keys);
  return {
    ring() {
      if (clock() >= signsAt) {
        ring = toKeyRing(keys, clock());
        signsAt = Number.POSITIVE_INFINITY;
      }
      return ring;
    },
    async refresh() {
      keys = await services.signingKeys.list();
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
