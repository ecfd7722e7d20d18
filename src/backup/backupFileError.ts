/** A file is not a valid backup, or cannot be decrypted. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}
