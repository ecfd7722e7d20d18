import { LRUCache } from 'lru-cache';
import { type Log, reasonOf } from '../lib/log.ts';
import { startPeriodic } from '../lib/periodic.ts';
import type { GeoipFacts, GeoipStatus } from '../model/rules/geoip.ts';
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
};

type LoadedFile = {
  readonly path: string;
  /** The version of the last read, also of a file that cannot be used. */
  version: string | undefined;
  database: GeoipDatabase | undefined;
  failure: string | undefined;
};

/** Number of addresses whose facts are cached. */
const ADDRESS_CAPACITY = 10_000;

const UNKNOWN: GeoipFacts = { country: undefined, asn: undefined };

/**
 * Creates the lookup without reading the files.
 *
 * @param paths the first file that contains a value for an address determines it
 */
export function createGeoip(paths: readonly string[], log: Pick<Log, 'info' | 'error'>): Geoip {
  const files = paths.map(
    (path): LoadedFile => ({ path, version: undefined, database: undefined, failure: undefined }),
  );
  const cache = new LRUCache<string, GeoipFacts>({ max: ADDRESS_CAPACITY });

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
      file.database = openGeoipDatabase(content.bytes);
      file.failure = undefined;
      cache.clear();
      const { type, builtAt } = file.database;
      log.info('geoip-file-loaded', { file: file.path, type, built: new Date(builtAt).toISOString() });
    } catch (error) {
      fail(file, error);
    }
  }

  function findIn(file: LoadedFile, address: string): GeoipFacts {
    try {
      return file.database?.find(address) ?? UNKNOWN;
    } catch (error) {
      fail(file, error);
      return UNKNOWN;
    }
  }

  function lookUp(address: string): GeoipFacts {
    const found = files.map((file) => findIn(file, address));
    return {
      country: found.find(({ country }) => country !== undefined)?.country,
      asn: found.find(({ asn }) => asn !== undefined)?.asn,
    };
  }

  let loading: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    for (const file of files) await refreshFile(file);
  }

  return {
    find(address) {
      if (address === undefined || files.length === 0) return UNKNOWN;
      const known = cache.get(address);
      if (known !== undefined) return known;
      const facts = lookUp(address);
      cache.set(address, facts);
      return facts;
    },
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
  };
}
