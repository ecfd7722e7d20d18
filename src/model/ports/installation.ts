import type { Instant } from '../../lib/time.ts';
import type { AuditEntry } from '../audit.ts';
import type { SigningKey } from './signingKey.ts';

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
