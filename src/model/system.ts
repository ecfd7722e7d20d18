import type { Instant } from '../lib/time.ts';
import type { Plan } from './plan.ts';

/** A setting as it stands; secrets are masked. */
export type EffectiveSetting = {
  /** The environment variable. */
  readonly variable: string;
  /** As an operator would write it; undefined where it is not set and has no default. */
  readonly value: string | undefined;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
  readonly meaning: string;
};

/** What the storage takes and holds. */
export type StorageFacts = {
  /** The newest migration that the main database has. */
  readonly schema: number;
  /** By name, those that are there. */
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
  readonly rows: StorageRows;
};

/** How many there are; of organizations, properties and API keys, live ones. */
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

/** What an administrator sees of the installation. */
export type SystemFacts = {
  readonly version: string;
  readonly at: Instant;
  readonly isInMaintenance: boolean;
  readonly storage: StorageFacts;
  readonly plans: readonly Plan[];
  readonly settings: readonly EffectiveSetting[];
};
