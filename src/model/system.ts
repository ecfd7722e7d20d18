import { DAY, type Instant } from '../lib/time.ts';
import type { Plan } from './plan.ts';

/** A newest backup that is older, in milliseconds, needs attention. */
export const BACKUP_MAX_AGE = 7 * DAY;

/** A group of settings. */
export type SettingGroup =
  | 'address'
  | 'reverseProxy'
  | 'https'
  | 'data'
  | 'postgresql'
  | 'backups'
  | 'firstUser'
  | 'users'
  | 'properties'
  | 'rates'
  | 'operation';

/** A setting with its current value; secrets are masked. */
export type EffectiveSetting = {
  readonly group: SettingGroup;
  /** The environment variable. */
  readonly variable: string;
  /** In the format of the variable; undefined if it is not set and has no default. */
  readonly value: string | undefined;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
  readonly meaning: string;
};

/** A database file, or a group of tables. */
export type StoredFile = {
  readonly name: string;
  readonly database: 'main' | 'claims';
  /** Whether it is the write-ahead log of the database. */
  readonly isLog: boolean;
  readonly sizeBytes: number;
};

/** The size of the storage. */
export type StorageFacts = {
  /** The schema version of the main database. */
  readonly schema: number;
  /** The database files that exist, or the groups of tables. */
  readonly files: readonly StoredFile[];
  readonly rows: StorageRows;
};

/** Row counts. Deleted organizations, deleted properties, and revoked API keys are not counted. */
export type StorageRows = {
  readonly accounts: number;
  readonly organizations: number;
  readonly properties: number;
  readonly apiKeys: number;
  readonly invitations: number;
  readonly unfinishedTasks: number;
  readonly finishedTasks: number;
  readonly auditEntries: number;
};

/** The state of the installation, for administrators. */
export type SystemFacts = {
  readonly version: string;
  readonly at: Instant;
  readonly isInMaintenance: boolean;
  readonly storage: StorageFacts;
  readonly plans: readonly Plan[];
  readonly settings: readonly EffectiveSetting[];
};

/** Migrations of the database. */
export type MigrationReport = {
  /** The schema version after the migrations. */
  readonly schema: number;
  /** In the order in which they run. */
  readonly migrations: readonly { readonly version: number; readonly name: string }[];
};
