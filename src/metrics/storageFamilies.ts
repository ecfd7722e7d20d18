import type { Awaitable } from '../lib/awaitable.ts';
import type { HistogramReading } from '../lib/counters.ts';
import type { Instant } from '../lib/time.ts';
import type { CacheReading, DiskSpace, LedgerLoad } from '../model/readings.ts';
import type { StoredFile } from '../model/system.ts';
import { byKind, type Family, type Sample, single } from './family.ts';

export type StorageSources = {
  readonly files: () => Awaitable<readonly StoredFile[]>;
  /** Resolves to undefined with PostgreSQL. */
  readonly diskSpace: () => Promise<DiskSpace | undefined>;
  readonly failures: () => ReadonlyMap<string, number>;
  readonly isMainHealthy: () => boolean;
  readonly areClaimsHealthy: () => boolean;
  readonly isInMaintenance: () => boolean;
  readonly sessions: () => Promise<number>;
  /** Undefined if Postern does not create the backups. */
  readonly lastBackupAt: (() => Promise<Instant | undefined>) | undefined;
  /** The time of this node minus the time of the database; undefined with SQLite, and before the first measurement. */
  readonly clockOffsetMs: () => number | undefined;
  /** The largest error of `clockOffsetMs`. */
  readonly clockErrorMs: () => number | undefined;
  /** Whether the server found that claims were missing. With PostgreSQL, only one node returns true. */
  readonly areClaimsLost: () => boolean;
  /** Whether the server found at startup that data was replaced with an older copy; undefined with PostgreSQL. */
  readonly isDataRolledBack: () => boolean | undefined;
  readonly certificateExpiresAt: () => Instant | undefined;
  /** The number of database servers that accept writes; undefined unless there are several servers. */
  readonly primaries: () => number | undefined;
};

/** @returns the metrics of the databases, the disk, and the state of the installation */
export function createStorageFamilies(sources: StorageSources): readonly Family[] {
  return [
    ...createDatabaseFamilies(sources),
    ...createDiskFamilies(sources),
    ...createStateFamilies(sources),
  ];
}

function createDatabaseFamilies({
  files,
  failures,
  primaries,
  ...health
}: StorageSources): readonly Family[] {
  const readSizes = (isLog: boolean) => async (): Promise<readonly Sample[]> => {
    const all = await files();
    // A missing log is empty.
    return (['main', 'claims'] as const).map((database) => ({
      labels: { database },
      value: all.find((file) => file.database === database && file.isLog === isLog)?.sizeBytes ?? 0,
    }));
  };
  return [
    {
      name: 'postern_database_size_bytes',
      help: 'Size of the database files, or of the tables of a database server.',
      type: 'gauge',
      labels: ['database'],
      read: readSizes(false),
    },
    {
      name: 'postern_database_wal_size_bytes',
      help: 'Size of the write-ahead log of the database.',
      type: 'gauge',
      labels: ['database'],
      read: readSizes(true),
    },
    {
      name: 'postern_database_up',
      help: 'Whether the database can be read and written (1) or its last use failed (0).',
      type: 'gauge',
      labels: ['database'],
      read: () => [
        { labels: { database: 'main' }, value: Number(health.isMainHealthy()) },
        { labels: { database: 'claims' }, value: Number(health.areClaimsHealthy()) },
      ],
    },
    {
      name: 'postern_database_primaries',
      help: 'Number of servers in POSTERN_DATABASE_URL that accept writes.',
      type: 'gauge',
      labels: [],
      read: () => single(primaries()),
    },
    {
      name: 'postern_storage_failures_total',
      help: 'Number of operations that failed because the database could not be read or written.',
      type: 'counter',
      labels: ['database'],
      read: () => byKind('database', failures()),
    },
  ];
}

function createDiskFamilies({ diskSpace }: StorageSources): readonly Family[] {
  return [
    {
      name: 'postern_disk_free_bytes',
      help: 'Free space on the file system of the data folder that is available to the server.',
      type: 'gauge',
      labels: [],
      read: async () => single((await diskSpace())?.freeBytes),
    },
    {
      name: 'postern_disk_size_bytes',
      help: 'Size of the file system of the data folder.',
      type: 'gauge',
      labels: [],
      read: async () => single((await diskSpace())?.totalBytes),
    },
  ];
}

function createStateFamilies(sources: StorageSources): readonly Family[] {
  const { isInMaintenance, areClaimsLost, isDataRolledBack, sessions, lastBackupAt } = sources;
  const { clockOffsetMs, clockErrorMs, certificateExpiresAt } = sources;
  return [
    {
      name: 'postern_maintenance_mode',
      help: 'Whether the server is in maintenance mode (1) or not (0).',
      type: 'gauge',
      labels: [],
      read: () => single(Number(isInMaintenance())),
    },
    {
      name: 'postern_sessions',
      help: 'Number of active portal sessions.',
      type: 'gauge',
      labels: [],
      read: async () => single(await sessions()),
    },
    {
      name: 'postern_last_backup_timestamp_seconds',
      help: 'Time of the newest backup; 0 if there is no backup.',
      type: 'gauge',
      labels: [],
      read: async () => single(lastBackupAt && ((await lastBackupAt()) ?? 0) / 1000),
    },
    {
      name: 'postern_clock_offset_seconds',
      help: 'Time of this node minus the time of the database server.',
      type: 'gauge',
      labels: [],
      read: () => single(toSeconds(clockOffsetMs())),
    },
    {
      name: 'postern_clock_offset_error_seconds',
      help: 'Largest error of postern_clock_offset_seconds.',
      type: 'gauge',
      labels: [],
      read: () => single(toSeconds(clockErrorMs())),
    },
    {
      name: 'postern_claims_lost',
      help: 'Whether the server found that claims were missing (1) or not (0).',
      type: 'gauge',
      labels: [],
      read: () => single(Number(areClaimsLost())),
    },
    {
      name: 'postern_data_rolled_back',
      help: 'Whether the server found at startup that its data was replaced with an older copy (1) or not (0).',
      type: 'gauge',
      labels: [],
      read() {
        const isRolledBack = isDataRolledBack();
        return single(isRolledBack === undefined ? undefined : Number(isRolledBack));
      },
    },
    {
      name: 'postern_tls_certificate_expiry_timestamp_seconds',
      help: 'Time when the TLS certificate of the server expires.',
      type: 'gauge',
      labels: [],
      read: () => single(toSeconds(certificateExpiresAt())),
    },
  ];
}

function toSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

export type StoreSources = {
  /** Calls of the stores that have not ended, and their durations in seconds, by kind. */
  readonly running: () => ReadonlyMap<string, number>;
  readonly seconds: () => ReadonlyMap<string, HistogramReading>;
  /** Undefined if claims are not stored over connections. */
  readonly ledgerLoad: (() => LedgerLoad) | undefined;
};

/** @returns the metrics of the calls of stores, and of the connections that store claims */
export function createStoreFamilies({ running, seconds, ledgerLoad }: StoreSources): readonly Family[] {
  return [
    {
      name: 'postern_store_calls_running',
      help: 'Number of reads and writes of the main database that have not finished.',
      type: 'gauge',
      labels: ['kind'],
      read: () => byKind('kind', running()),
    },
    {
      name: 'postern_store_call_duration_seconds',
      help: 'Duration of reads and writes of the main database, including the wait for a connection.',
      type: 'histogram',
      labels: ['kind'],
      read: () => [...seconds()].map(([kind, histogram]) => ({ labels: { kind }, histogram })),
    },
    ...createClaimFamilies(() => ledgerLoad?.()),
  ];
}

function createClaimFamilies(load: () => LedgerLoad | undefined): readonly Family[] {
  const gauge = (name: string, help: string, value: (load: LedgerLoad) => number): Family => ({
    name,
    help,
    type: 'gauge',
    labels: [],
    read() {
      const current = load();
      return single(current && value(current));
    },
  });
  return [
    gauge(
      'postern_claims_waiting',
      'Number of claims that wait for a larger group or for a connection to the database.',
      ({ waiting }) => waiting,
    ),
    gauge(
      'postern_claim_connections_busy',
      'Number of connections to the database that store claims at the moment.',
      ({ busy }) => busy,
    ),
    gauge(
      'postern_claim_connections_available',
      'Number of further connections that could store claims at the same time.',
      ({ connections, busy }) => connections - busy,
    ),
  ];
}

/** Caches by name. */
export type CacheSources = { readonly caches: ReadonlyMap<string, () => CacheReading> };

/** @returns the metrics of caches */
export function createCacheFamilies({ caches }: CacheSources): readonly Family[] {
  /** @param valueIn undefined if the cache does not count the value */
  const read = (valueIn: (cache: CacheReading) => number | undefined) => (): readonly Sample[] =>
    [...caches].flatMap(([name, readCache]) => {
      const value = valueIn(readCache());
      return value === undefined ? [] : [{ labels: { cache: name }, value }];
    });
  return [
    {
      name: 'postern_cache_hits_total',
      help: 'Number of lookups that the cache answered.',
      type: 'counter',
      labels: ['cache'],
      read: read(({ lookups }) => lookups?.hits),
    },
    {
      name: 'postern_cache_misses_total',
      help: 'Number of lookups that the cache did not answer.',
      type: 'counter',
      labels: ['cache'],
      read: read(({ lookups }) => lookups?.misses),
    },
    {
      name: 'postern_cache_entries',
      help: 'Number of entries in the cache.',
      type: 'gauge',
      labels: ['cache'],
      read: read(({ entries }) => entries),
    },
    {
      name: 'postern_cache_capacity',
      help: 'Maximum number of entries in the cache.',
      type: 'gauge',
      labels: ['cache'],
      read: read(({ capacity }) => capacity),
    },
  ];
}
