import type { Awaitable } from '../lib/awaitable.ts';
import type { Instant } from '../lib/time.ts';
import type { AuditAction } from '../model/audit.ts';
import type { Counters } from '../model/dataCounter.ts';
import type { KeptSpelling } from '../model/email.ts';
import type { Quotas } from '../model/plan.ts';
import type { AccountStore, CredentialStore, TwoFactorStore } from '../model/ports/account.ts';
import type { ApiKeyStore, PrincipalLookup } from '../model/ports/apiKey.ts';
import type { AuditStore } from '../model/ports/audit.ts';
import type { CountExchange, DatabaseServers, Exclusively, NodeStore } from '../model/ports/cluster.ts';
import type {
  ExportStore,
  InstallationStore,
  SigningKeyStore,
  WidgetBuildStore,
} from '../model/ports/installation.ts';
import type { InvitationStore, OrganizationStore, PlanStore } from '../model/ports/organization.ts';
import type { PropertyLookup, PropertyStore } from '../model/ports/property.ts';
import type { ReplayLedger } from '../model/ports/replayLedger.ts';
import type { RuleStore } from '../model/ports/rules.ts';
import type { AttemptStore, SessionStore, UsedFormStore } from '../model/ports/session.ts';
import type { ShareLinkStore } from '../model/ports/shareLink.ts';
import type { OverviewStore, StatisticsStore } from '../model/ports/statistics.ts';
import type { TaskStore } from '../model/ports/task.ts';
import type { ClaimCommit, DiskSpace, LedgerLoad } from '../model/readings.ts';
import type { MigrationReport, StorageFacts } from '../model/system.ts';

/**
 * The stores of one installation. Each method is one atomic step; transactions stay inside it. A method throws StoreFailure if
 * the storage is unavailable.
 */
export type Stores = {
  readonly accounts: AccountStore;
  readonly organizations: OrganizationStore;
  readonly properties: PropertyStore & PropertyLookup;
  readonly apiKeys: ApiKeyStore & PrincipalLookup;
  readonly signingKeys: SigningKeyStore;
  readonly installation: InstallationStore;
  readonly plans: PlanStore;
  readonly shareLinks: ShareLinkStore;
  readonly tasks: TaskStore;
  readonly statistics: StatisticsStore;
  readonly audit: AuditStore;
  readonly invitations: InvitationStore;
  readonly credentials: CredentialStore;
  readonly sessions: SessionStore;
  readonly twoFactor: TwoFactorStore;
  readonly widgetBuilds: WidgetBuildStore;
  readonly exports: ExportStore;
  readonly rules: RuleStore;
  readonly overview: OverviewStore;
};

/**
 * The state that the servers of an installation share, apart from the stores. It is in memory if the installation has only one server. The
 * methods throw StoreFailure if the storage is unavailable.
 */
export type SharedState = {
  readonly attempts: AttemptStore;
  readonly usedForms: UsedFormStore;
  readonly exclusively: Exclusively;
  /** Whether several servers can use the storage at the same time. */
  readonly isClustered: boolean;
};

/** The open storage of one installation. */
export type Storage = {
  readonly stores: Stores;
  readonly shared: SharedState;
  /** Opens the replay ledger; only a server needs it. @throws if it cannot be opened */
  readonly openLedger: (options: LedgerOptions) => Promise<ServerLedger>;
  /** Opens the count exchange between nodes. Only servers need it. @returns undefined if only one server can use the storage */
  readonly openCountExchange: () => CountExchange | undefined;
  /** @throws if the storage cannot be read */
  readonly measure: () => Awaitable<StorageFacts>;
  /** @throws if the storage cannot be read */
  readonly fileSizes: () => Awaitable<StorageFacts['files']>;
  /** @returns undefined with PostgreSQL @throws if the file system of the data folder cannot be read */
  readonly diskSpace: () => Promise<DiskSpace | undefined>;
  /**
   * Registers a function that is called soon after another process may have changed data that servers cache. Calls can be lost, but
   * `changeVersion` detects all changes.
   *
   * @returns a function that ends the subscription
   */
  readonly subscribe: (onChange: () => void) => Promise<() => Promise<void>>;
  /** Undefined if only one server can use the storage. */
  readonly nodes: NodeStore | undefined;
  /** The servers of the database; undefined if it has only one, or none. */
  readonly servers: DatabaseServers | undefined;
  /** Waits for pending writes, then closes the storage. @throws (rejects) if a copy of the storage would lack data */
  readonly close: () => Promise<void>;
};

/** Called with the reason when a storage thread ends unexpectedly, and when another thread has replaced it. */
export type OnThread = (event: 'ended' | 'replaced', reason?: string) => void;

/** Called after a change if its audit log entry could not be appended. */
export type OnAuditFailure = (action: AuditAction, error: unknown) => void;

export type StorageOptions = {
  readonly dataDir: string;
  /** The quotas of the default plan until it is set. */
  readonly defaults: Quotas;
  /** Set by a server: writes then run in a separate thread, so that no request waits for the fsync of another one. */
  readonly onWriterThread?: OnThread | undefined;
  readonly onAuditFailure: OnAuditFailure;
};

/** `full` survives a power failure, `normal` a killed process. */
export type Durability = 'full' | 'normal';

export type LedgerOptions = {
  readonly durability: Durability;
  readonly onThread?: OnThread;
  /**
   * Called if claims are missing when another thread has replaced the one that stored them. Rejects all earlier puzzles. If it fails, it is
   * called again.
   */
  readonly onLoss?: () => Promise<void>;
  /** Called after each transaction that stored claims. */
  readonly onCommit?: (commit: ClaimCommit) => void;
};

/** A ledger that other threads of the process can use, too. */
export type ServerLedger = ReplayLedger & {
  /**
   * Connects another thread, until the thread ends. `close` waits until all claims of connected threads have been stored or rejected.
   *
   * @returns a port, which the caller transfers to the thread; there, `createLedgerClient` returns the methods that verify solutions
   */
  readonly connect: () => MessagePort;
  /** Reports that claims wait too long. `isHealthy` then returns false until the ledger has checked that it can store claims. */
  readonly reportDelay: () => void;
  /** Undefined if claims are not stored over connections. */
  readonly load: (() => LedgerLoad) | undefined;
  /** Undefined if the engine does not count, because the database server is responsible for its files. */
  readonly counter?: DataCounter | undefined;
};

/** The counter of a data folder. @see Counters */
export type DataCounter = {
  /** The counters when the ledger was opened. */
  readonly found: Counters;
  /**
   * Raises the counter in all databases to `atLeast`, and by at least 1.
   *
   * @returns the new counter @throws (rejects) if it cannot be stored
   */
  readonly advance: (atLeast: number) => Promise<number>;
};

export type Inspection = {
  /** The schema version; 0 for a database without a schema. */
  readonly version: number;
  /** The newest schema version that this program knows. */
  readonly newestVersion: number;
  /** The latest time that the database records; undefined for an empty database. */
  readonly lastWriteAt: Instant | undefined;
  /** When the database was created; undefined for a database without a schema. */
  readonly createdAt: Instant | undefined;
  /** When the newest backup was created; undefined if there is none. */
  readonly lastBackupAt: Instant | undefined;
  /** The users who keep a spelling of their email address, because another user has its canonical form. */
  readonly keptSpellings: readonly KeptSpelling[];
};

/** A copy of a database in a backup. */
export type DatabaseCopy = {
  /** The file name in the data folder. */
  readonly name: string;
  readonly schema: number;
};

/** Locks, copies, and replaces the databases of a data folder. Does not migrate databases that are in use. */
export type BackupEngine = {
  /**
   * Locks the data folder. Servers and commands that use the folder do not exclude a backup, but they exclude a restore.
   *
   * @throws if another process holds a lock that excludes this one
   */
  readonly lock: (dataDir: string, purpose: 'backup' | 'restore') => { readonly release: () => void };
  /** Returns 8 hexadecimal digits that identify an installation. They stay the same after a restore. @throws if there is no database */
  readonly identify: (dataDir: string) => string;
  /**
   * Copies all databases into a folder and checks the copies. The first copy is the main database. A server can use the data folder
   * at the same time.
   *
   * @param times how many times the copies must fit into the folder; 1 by default
   * @throws if there is no database, it is damaged, or the copies do not fit on the disk
   */
  readonly copy: (dataDir: string, folder: string, times?: number) => readonly DatabaseCopy[];
  /** Stores the time of the newest backup in the main database. */
  readonly recordBackup: (dataDir: string, at: Instant) => void;
  /** The newest schema version of each database that this program can restore, by file name. */
  readonly newestSchemas: Readonly<Record<string, number>>;
  /** @throws if the databases in the folder are damaged, or their schema versions are not those of the copies */
  readonly check: (folder: string, copies: readonly DatabaseCopy[]) => void;
  /** @see replaceDatabases */
  readonly replace: (dataDir: string, staged: string, movedName: string) => boolean;
};

/** A storage engine: SQLite or PostgreSQL. Only SQLite uses the data folder. */
export type StorageEngine = {
  /** Opens the storage and migrates it; creates the data folder if it is missing. @throws if the storage cannot be used */
  readonly open: (options: StorageOptions) => Promise<Storage>;
  /**
   * Inspects the storage without creating, migrating, or writing anything.
   *
   * @returns undefined if there is no database yet
   * @throws if the database cannot be read
   */
  readonly inspect: (dataDir: string) => Awaitable<Inspection | undefined>;
  /**
   * Migrates the storage to the newest schema; creates it if it is missing. Safe to call while other processes do the same.
   *
   * @returns the migrations that this call applied
   * @throws if the schema is newer than this program, or the storage cannot be used
   */
  readonly migrate: (dataDir: string) => Awaitable<MigrationReport>;
  /** Like `migrate`, but returns what it would apply, and neither creates nor changes anything. */
  readonly pendingMigrations: (dataDir: string) => Awaitable<MigrationReport>;
};

/** The schema versions of a database that has to be migrated, before and after. */
export type PendingUpgrade = { readonly from: number; readonly to: number };

/** A storage engine whose databases are files in the data folder. */
export type FileEngine = StorageEngine & {
  /**
   * Opens the main database like `open`, but does not migrate it.
   *
   * @returns undefined if there is no database with a schema yet, or there is nothing to migrate
   * @throws if the database cannot be used
   */
  readonly pendingUpgrade: (dataDir: string) => PendingUpgrade | undefined;
  /**
   * Checks the structure of the database files without changing them. Reads them completely.
   *
   * @throws if a file is damaged, or is another database; the message names the file and says what to do
   */
  readonly checkFiles: (dataDir: string) => void;
  /** Returns the database files that exist in a data folder, without opening them. */
  readonly fileSizes: (dataDir: string) => StorageFacts['files'];
  readonly backup: BackupEngine;
};
