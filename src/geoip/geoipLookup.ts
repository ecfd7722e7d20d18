import { LRUCache } from 'lru-cache';
import type { GeoipFacts } from '../model/rules/geoip.ts';
import type { GeoipDatabase } from './geoipFile.ts';

/** A lookup of addresses in all files, whose results are cached. */
export type GeoipLookup = {
  /** Values that no file has are undefined. Never throws. */
  readonly find: (address: string | undefined) => GeoipFacts;
  /** Invalidates the cached results after a file has changed. */
  readonly clear: () => void;
};

export type LookupDeps = {
  /** The files; undefined for one that cannot be used. The first file that contains a value for an address determines it. */
  readonly databases: () => readonly (GeoipDatabase | undefined)[];
  /** Called if a file is damaged. @param file its index */
  readonly onFailure: (file: number, error: unknown) => void;
};

/** Number of addresses whose facts are cached. */
const ADDRESS_CAPACITY = 10_000;

const UNKNOWN: GeoipFacts = { country: undefined, asn: undefined };

/** @see GeoipLookup */
export function createGeoipLookup({ databases, onFailure }: LookupDeps): GeoipLookup {
  // `maxSize`, because `max` allocates all memory immediately.
  const cache = new LRUCache<string, GeoipFacts>({ maxSize: ADDRESS_CAPACITY, sizeCalculation: () => 1 });

  function findIn(database: GeoipDatabase | undefined, file: number, address: string): GeoipFacts {
    try {
      return database?.find(address) ?? UNKNOWN;
    } catch (error) {
      onFailure(file, error);
      return UNKNOWN;
    }
  }

  function lookUp(address: string): GeoipFacts {
    const found = databases().map((database, file) => findIn(database, file, address));
    return {
      country: found.find(({ country }) => country !== undefined)?.country,
      asn: found.find(({ asn }) => asn !== undefined)?.asn,
    };
  }

  return {
    find(address) {
      if (address === undefined || databases().length === 0) return UNKNOWN;
      const known = cache.get(address);
      if (known !== undefined) return known;
      const facts = lookUp(address);
      cache.set(address, facts);
      return facts;
    },
    clear: () => cache.clear(),
  };
}
