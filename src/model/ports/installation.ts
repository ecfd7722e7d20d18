/** What belongs to this installation as a whole. */
export interface InstallationStore {
  /** The 32 bytes under this name, made from `fresh` when there are none yet. */
  secret(name: string, fresh: Uint8Array): Promise<Uint8Array>;
  /** Writes something that changes nothing. @throws where the database cannot be written */
  probe(): Promise<void>;
  /** A number that changes when anything but these stores has written, such as another process. */
  otherWrites(): Promise<number>;
  isInMaintenance(): Promise<boolean>;
  setMaintenance(isOn: boolean): Promise<void>;
}
