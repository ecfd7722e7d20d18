import type { AuditEntry } from '../audit.ts';

/** Data of the installation as a whole. A method with an `entry` appends it to the audit log in the same transaction. */
export interface InstallationStore {
  /** Returns the secret with this name. Stores `candidate`, 32 bytes, if there is none yet. */
  secret(name: string, candidate: Uint8Array): Promise<Uint8Array>;
  /** Writes without changing anything. @throws if the database cannot be written */
  probe(): Promise<void>;
  /** Returns a number that changes when anything but these stores has written, such as another process. */
  changeVersion(): Promise<number>;
  isInMaintenance(): Promise<boolean>;
  setMaintenance(isOn: boolean, entry?: AuditEntry): Promise<void>;
}
