/** Data that was moved to another storage. The message says where the data is, and how to use this copy anyway. */
export class MovedDataError extends Error {
  override readonly name = 'MovedDataError';
}

/**
 * @param source `folder` or `database`
 * @param target where the data is
 * @param use how to use the target
 * @param removal how to remove the mark of the moved data
 */
export function movedDataError(source: string, target: string, use: string, removal: string): MovedDataError {
  return new MovedDataError(
    `the data of this ${source} was moved to ${target}; ${use}. If you want to use this ${source} again, for example because the move was interrupted and the new copy is missing: ${removal}, and then run "postern keys rotate-signing --revoke-old", because otherwise, both copies would accept the same solutions`,
  );
}

/** A newer version of Postern has migrated the database, so this version cannot use it. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}
