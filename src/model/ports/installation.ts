import type { Instant } from '../../lib/time.ts';
import type { AuditEntry } from '../audit.ts';
import type {
  ExportDocument,
  ExportedProperty,
  ExportedUser,
  ImportResult,
  OrganizationHead,
} from '../exportDocument.ts';
import type { Plan } from '../plan.ts';
import type { RuleDraft } from '../rules/rule.ts';

/** The changes that a restored database needs, so that it does not accept old puzzles, sessions, and codes. */
export type RestoreChanges = {
  /** Replaces all signing keys. */
  readonly signingKey: SigningKey;
  /** Codes of authenticator apps are accepted only for later time steps. */
  readonly usedStep: number;
  /** When the backup was created. */
  readonly backupAt: Instant;
};

/** What is known about the time of an installation; see judgeClock. */
export type ClockRecord = {
  /** The last confirmed time, plus the time that has passed since then according to a monotonic clock. */
  readonly confirmedTime: Instant;
  /** The time that the clock showed at the last observation. Equal to `confirmedTime` if the time was confirmed. */
  readonly seenTime: Instant;
  /** How long servers have run since the clock began to differ from `confirmedTime`, in milliseconds; 0 if it was confirmed. */
  readonly ranMs: number;
};

/** Data of the installation as a whole. */
export interface InstallationStore {
  /** Returns the secret with this name. If there is none, stores and returns `candidate`, 32 bytes. */
  secret(name: string, candidate: Uint8Array): Promise<Uint8Array>;
  /**
   * Checks whether the database can be written: stores data that needs more space than most changes, because small writes can succeed
   * on a full disk. Call `endProbe` afterward.
   *
   * @throws if the database cannot be written
   */
  probe(): Promise<void>;
  /** Deletes the data of `probe`. */
  endProbe(): Promise<void>;
  /** Returns a number that changes after each write that does not come from these stores but, for example, from another process. */
  changeVersion(): Promise<number>;
  /** @returns the counter of the main database, with which servers detect older data; 0 if there is none. @see Counters */
  counter(): Promise<number>;
  /** Raises the counter to a value, unless it is greater already. Does not count as a change. */
  increaseCounter(to: number): Promise<void>;
  isInMaintenance(): Promise<boolean>;
  /** @returns when the newest backup was created, by the server or a command; undefined if there is none */
  lastBackupAt(): Promise<Instant | undefined>;
  /** @returns the record that was stored last; undefined if there is none */
  clockRecord(): Promise<ClockRecord | undefined>;
  recordClock(record: ClockRecord): Promise<void>;
  /** Appends the entry to the audit log in the same transaction. */
  setMaintenance(isOn: boolean, entry?: AuditEntry): Promise<void>;
  /**
   * Makes a database from a backup safe to use, in one transaction with the entry: deletes all signing keys and sessions, raises the
   * last used time step of every authenticator app, and never reuses the ids of rows that were created after the backup.
   */
  completeRestore(changes: RestoreChanges, entry?: AuditEntry): Promise<void>;
}

export type SigningKey = {
  /** 4 bytes that identify the key in a puzzle. */
  readonly fingerprint: Uint8Array;
  /** 32 bytes. */
  readonly secret: Uint8Array;
  readonly createdAt: Instant;
};

/**
 * How long a new signing key only verifies before it signs, in milliseconds. By then, all other threads, and all other processes on this
 * storage, have read the key, so none of them receives a puzzle with an unknown signature.
 */
export const VERIFY_ONLY_MS = 1000;

/** Methods append their `entry` to the audit log in the same transaction if they change something. */
export interface SigningKeyStore {
  /** Lists the keys in the reverse order of their creation. The newest key signs; all keys verify. */
  list(): Promise<readonly SigningKey[]>;
  add(key: SigningKey, entry?: AuditEntry): Promise<void>;
  /**
   * Adds the first key after claims were lost and the puzzles of all other keys were rejected. If the claims are in the same database,
   * also records in the same transaction that their loss is handled.
   *
   * @returns false, without a change, if another node has already handled it
   */
  addAfterLoss(key: SigningKey, entry?: AuditEntry): Promise<boolean>;
  /** Adds a key and deletes all others. */
  replaceAll(key: SigningKey, entry?: AuditEntry): Promise<void>;
  /** Deletes the keys that were replaced by a newer one before `replacedBefore`. @returns their number */
  prune(replacedBefore: Instant): Promise<number>;
}

/** Receives the objects of an export: the rules of the installation if there are any, all plans, all users, and then each organization before its properties. */
export type ExportVisitor = {
  readonly rules: (rules: readonly RuleDraft[]) => void;
  readonly plan: (plan: Plan) => void;
  readonly user: (user: ExportedUser) => void;
  readonly organization: (organization: OrganizationHead) => void;
  readonly property: (property: ExportedProperty) => void;
};

export type ImportOptions = {
  /** Whether missing users are created; otherwise, each missing user is an error. */
  readonly createsUsers: boolean;
  /** Checks everything and changes nothing. */
  readonly isDryRun: boolean;
  readonly now: Instant;
  /** The entry of the import. The entries of the created objects have the same actor. */
  readonly entry: AuditEntry | undefined;
};

export interface ExportStore {
  /**
   * Reads one snapshot without loading it at once. Includes the plans that were set, the organizations that are not deleted, their
   * properties, owners, and members. The order does not depend on the ids. The visitor must be synchronous.
   */
  read(visitor: ExportVisitor): Promise<void>;
  /**
   * Creates the objects of a document that do not exist, in one transaction, with their audit log entries. Checks names, sitekeys,
   * and quotas in the same step. Changes nothing if an object exists with other values.
   */
  import(document: ExportDocument, options: ImportOptions): Promise<ImportResult>;
}

/** Number of builds that are stored, including the current one. */
export const STORED_BUILDS = 3;

/** The stored builds of the widget, so that pages that pin a build work after an upgrade, and nodes can serve each other's builds. */
export interface WidgetBuildStore {
  /**
   * Records that a server serves this build now, and deletes all but the `STORED_BUILDS` builds that were served last. A build never
   * changes: if it is stored already, `contents` is ignored.
   *
   * @param id 64 hexadecimal digits that identify the contents
   * @param contents undefined if the build should be stored already
   * @returns whether the build is stored
   */
  recordCurrent(id: string, contents: Uint8Array | undefined, at: Instant): Promise<boolean>;
  /** Lists the ids of the stored builds, most recently served first. */
  list(): Promise<readonly string[]>;
  /** @returns the contents; undefined if the build is not stored */
  byId(id: string): Promise<Uint8Array | undefined>;
}
