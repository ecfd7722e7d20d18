import { createKeyRing, type KeyRing } from '../captcha/signature.ts';
import { type Log, reasonOf } from '../lib/log.ts';
import type { Clock, Instant } from '../lib/time.ts';
import type { Principal } from '../model/apiKey.ts';
import type { SigningKey } from '../model/ports/signingKey.ts';
import type { Property, Sitekey } from '../model/property.ts';
import { type Cached, createCached } from '../storage/readCache.ts';
import type { Services } from './services.ts';

/** What a running server remembers of the main database, so that the hot path seldom asks it. */
export type Caches = {
  readonly properties: Cached<Sitekey, Property>;
  readonly principals: Cached<string, Principal>;
  readonly ring: () => KeyRing;
  /** Something was written: records are asked for anew from now on, and the signing keys are read again. */
  readonly refresh: () => Promise<void>;
  /** The database could not be read: told once, and maintenance until it can. */
  readonly noteFailure: (error: unknown) => void;
};

/** API keys remembered at most; and as many keys and sitekeys that do not exist. */
export const RECORD_CAPACITY = 20_000;
/** Properties remembered at most, about 400 bytes each: with fewer, a site that is asked for seldom waits for a query. */
export const PROPERTY_CAPACITY = 131_072;

/**
 * How long a new signing key only verifies, before it signs: until then every other process on this folder has seen
 * it, so that none gets a puzzle whose key it does not know.
 */
const SETTLE_MS = 1000;

/** @see Caches */
export async function createCaches(services: Services, log: Log, clock: Clock): Promise<Caches> {
  const keys = await createKeys(services, clock);

  function noteFailure(error: unknown): void {
    if (services.maintenance.noteFailure()) log.error('database-failed', { reason: reasonOf(error) });
  }

  const { properties, apiKeys } = services.stores;
  const known = createCached<Sitekey, Property>({
    load: (key) => properties.bySitekey(key),
    capacity: PROPERTY_CAPACITY,
    missingCapacity: RECORD_CAPACITY,
    onStale: noteFailure,
  });
  const principals = createCached<string, Principal>({
    load: (key) => apiKeys.byKeyHash(key),
    capacity: RECORD_CAPACITY,
    missingCapacity: RECORD_CAPACITY,
    onStale: noteFailure,
  });

  return {
    properties: known,
    principals,
    ring: keys.ring,
    async refresh() {
      known.expire();
      principals.expire();
      await keys.refresh();
    },
    noteFailure,
  };
}

async function createKeys(services: Services, clock: Clock): Promise<Pick<Caches, 'ring' | 'refresh'>> {
  let keys = await services.signingKeys.list();
  let ring = ringOf(keys, clock());
  let settlesAt = settlingTimeOf(keys);
  return {
    ring() {
      if (clock() >= settlesAt) {
        ring = ringOf(keys, clock());
        settlesAt = Number.POSITIVE_INFINITY;
      }
      return ring;
    },
    async refresh() {
      keys = await services.signingKeys.list();
      ring = ringOf(keys, clock());
      settlesAt = settlingTimeOf(keys);
    },
  };
}

function settlingTimeOf([newest]: readonly SigningKey[]): number {
  return newest === undefined ? Number.POSITIVE_INFINITY : newest.createdAt + SETTLE_MS;
}

/** The newest that has settled signs; where none has, the oldest. */
function ringOf(keys: readonly SigningKey[], now: Instant): KeyRing {
  const settled = keys.find((key) => key.createdAt + SETTLE_MS <= now);
  return createKeyRing(keys, settled ?? keys.at(-1));
}
