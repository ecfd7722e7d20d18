import { LRUCache } from 'lru-cache';
import { type Log, reasonOf } from '../lib/log.ts';
import { startPeriodic } from '../lib/periodic.ts';
import type { GeoipFacts, GeoipStatus } from '../model/rules/countries.ts';
import { type GeoipDatabase, openGeoipDatabase, readGeoipFile } from './geoipFile.ts';

/** The GeoIP files that the operator provides. */
export type Geoip = {
  /** Looks up an address in all files. Values that no file has are undefined. Never throws. */
  readonly find: (address: string | undefined) => GeoipFacts;
  readonly status: () => GeoipStatus;
  /** Reads the files if they were never read. Never rejects. */
  readonly load: () => Promise<void>;
  /** Reads the files that have changed. Keeps the previous content of a file that cannot be read. Never rejects. */
  readonly refresh: () => Promise<void>;
  /** Refreshes at an interval. @returns a function that stops it */
  readonly watch: (everyMs: number) => () => Promise<void>;
  /** The contents of all files, for createRemoteGeoip. Undefined for a file that cannot be used. */
  readonly contents: () => readonly GeoipBytes[];
  /** Calls the listener whenever a file was loaded. */
  readonly onLoad: (listener: () => void) => void;
};

/** The content of a file, which threads can share. */
export type GeoipBytes = SharedArrayBuffer | undefined;

type LoadedFile = {
  readonly path: string;
  /** The version of the last read, also of a file that cannot be used. */
  version: string | undefined;
  database: GeoipDatabase | undefined;
  failure: string | undefined;
  bytes: GeoipBytes;
};

/**
 * Creates the lookup without reading the files.
 *
 * @param paths the first file that contains a value for an address determines it
 */
export function createGeoip(paths: readonly string[], log: Pick<Log, 'info' | 'error'>): Geoip {
  const files = paths.map(
    (path): LoadedFile => ({
      path,
      version: undefined,
      database: undefined,
      failure: undefined,
      bytes: undefined,
    }),
  );
  let onLoad: () => void = () => {};
  const lookup = createGeoipLookup({
    databases: () => files.map(({ database }) => database),
    onFailure(index, error) {
      const file = files[index];
      if (file !== undefined) fail(file, error);
    },
  });

  /** Logs a failure once for each reason and file. */
  function fail(file: LoadedFile, error: unknown): void {
    const reason = reasonOf(error);
    if (file.failure !== reason) log.error('geoip-file-failed', { file: file.path, reason });
    file.failure = reason;
  }

  async function refreshFile(file: LoadedFile): Promise<void> {
    try {
      const content = await readGeoipFile(file.path, file.version);
      if (content === undefined) return;
      // A damaged file is not read again until it changes.
      file.version = content.version;
      file.database = openGeoipDatabase(Buffer.from(content.bytes));
      file.failure = undefined;
      file.bytes = content.bytes;
      lookup.clear();
      onLoad();
      const { type, builtAt } = file.database;
      log.info('geoip-file-loaded', { file: file.path, type, built: new Date(builtAt).toISOString() });
    } catch (error) {
      fail(file, error);
    }
  }

  let loading: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    for (const file of files) await refreshFile(file);
  }

  return {
    find: lookup.find,
    status: () => ({
      files: files.map(({ path, database, failure }) => ({
        path,
        type: database?.type,
        builtAt: database?.builtAt,
        failure,
      })),
      hasCountries: files.some(({ database }) => database?.hasCountries === true),
      hasAsns: files.some(({ database }) => database?.hasAsns === true),
    }),
    load() {
      loading ??= refresh();
      return loading;
    },
    refresh,
    watch(everyMs) {
      if (files.length === 0) return async () => {};
      return startPeriodic({ work: refresh, everyMs }).stop;
    },
    contents: () => files.map(({ bytes }) => bytes),
    onLoad(listener) {
      onLoad = listener;
    },
  };
}

/**
 * Creates the lookup of another thread, which uses the same memory for the contents.
 *
 * @param onFailure called if a file is damaged
 * @returns the lookup, and a function that replaces the contents
 */
export function createRemoteGeoip(onFailure: (error: unknown) => void) {
  let databases: readonly (GeoipDatabase | undefined)[] = [];
  const lookup = createGeoipLookup({ databases: () => databases, onFailure: (_, error) => onFailure(error) });
  return {
    find: lookup.find,
    replace(contents: readonly GeoipBytes[]): void {
      databases = contents.map((bytes) => bytes && openGeoipDatabase(Buffer.from(bytes)));
      lookup.clear();
    },
  };
}

/** A lookup of addresses in all files, whose results are cached. */
type GeoipLookup = {
  /** Values that no file has are undefined. Never throws. */
  readonly find: (address: string | undefined) => GeoipFacts;
  /** Invalidates the cached results after a file has changed. */
  readonly clear: () => void;
};

type LookupDeps = {
  /** The files; undefined for one that cannot be used. The first file that contains a value for an address determines it. */
  readonly databases: () => readonly (GeoipDatabase | undefined)[];
  /** Called if a file is damaged. @param file its index */
  readonly onFailure: (file: number, error: unknown) => void;
};

/** Number of addresses whose facts are cached. */
const ADDRESS_CAPACITY = 10_000;

const UNKNOWN: GeoipFacts = { country: undefined, asn: undefined };

/** @see GeoipLookup */
function createGeoipLookup({ databases, onFailure }: LookupDeps): GeoipLookup {
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
