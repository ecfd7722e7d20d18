/** A newer version of Postern has migrated the database, so this version cannot use it. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}
