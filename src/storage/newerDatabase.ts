/** A newer version of Postern has migrated the database. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}
