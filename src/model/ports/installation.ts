import type { AuditEntry } from '../audit.ts';

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
  isInMaintenance(): Promise<boolean>;
  /** Appends the entry to the audit log in the same transaction. */
  setMaintenance(isOn: boolean, entry?: AuditEntry): Promise<void>;
}
